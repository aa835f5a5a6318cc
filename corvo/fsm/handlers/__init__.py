"""What ops do: one module per family of ops, under the name the family has in corvo.ops."""

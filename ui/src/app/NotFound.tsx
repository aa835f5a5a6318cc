import { Link } from "@tanstack/react-router";
import { Compass } from "lucide-react";
import { Empty } from "@/ui/Empty";

export function NotFound() {
  return (
    <Empty icon={<Compass />} title="There is no such page">
      <p>
        The address may be from another version.{" "}
        <Link to="/" className="text-accent underline underline-offset-2">
          Go to the overview
        </Link>{" "}
        or press Ctrl K.
      </p>
    </Empty>
  );
}

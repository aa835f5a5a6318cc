// The query bar's language: one line of text in, the filter of a search out.
//
//     queue:emails state:dead,cancelled error~"timed out" payload.user.plan == "pro" age>1h
//
// The CLI reads the same language in Python; docs/reference/query-examples.json holds what both must agree on.
import type { Filter } from "@/api/types";
import { JOB_ID, jobId, NAMES, operatorsOf, read, twice, Unreadable } from "./fields";

export const QUERY_CHARS_MAX = 4_000;

/** The query cannot be read. Says what was expected and at which character, counted from 1. */
export class QueryRefused extends Error {
  constructor(
    readonly problem: string,
    readonly at: number,
  ) {
    super(`${problem}, at character ${at}`);
  }
}

const SPACE = /[ \t\r\n]*/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const TAG = /[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*/y;
const KEY = /[A-Za-z0-9_]+/y;
const INDEX = /[0-9]{1,9}/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none of them in a string
const STRING = /"(?:[^"\\\x00-\x1f]|\\.)*"/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WHOLE_NUMBER = new RegExp(`^(?:${NUMBER.source})$`);
/** A value without quotes ends at a space or a comma; free text only at a space. */
const BARE = /[^\s",]+/y;
const FREE = /[^\s"]+/y;
const OPERATOR = /==|!=|>=|<=|[:=~<>]/y;
const FUNCTION = /(startswith|contains)[ \t]*\(/y;

const EQUAL = new Set([":", "=", "=="]);

export function parse(text: string, nowMs: number): Filter {
  if (text.length > QUERY_CHARS_MAX)
    throw new QueryRefused(`a query of more than ${QUERY_CHARS_MAX} characters`, QUERY_CHARS_MAX + 1);
  return new Parser(text, nowMs).query();
}

class Parser {
  private at = 0;
  private readonly filter: Filter = {};
  private readonly jq: string[] = [];

  constructor(
    private readonly text: string,
    private readonly nowMs: number,
  ) {}

  query(): Filter {
    while (this.skipToMore()) {
      this.term();
      if (this.peek() && !/\s/.test(this.peek())) this.fail("expected a space");
    }
    if (this.jq.length) this.filter.payload_jq = this.jq.join(" and ");
    return this.filter;
  }

  private term(): void {
    const start = this.at;
    if (this.peek() === '"') {
      this.set("payload_contains", this.textValue(), start);
      return;
    }
    const negated = this.peek() === "-";
    const name = this.look(NAME, start + (negated ? 1 : 0));
    if (name === null || !this.beginsField(name, start + (negated ? 1 : 0) + name.length)) {
      this.freeText(start);
      return;
    }
    if (negated && name !== "state") this.fail("only -state can be left out of a search", start);
    this.at = start + (negated ? 1 : 0) + name.length;
    this.field(name, start, negated);
  }

  /** `error ~ x` is a field, `error handling` is two words; `queue.a` is a word, `payload.a` is not. */
  private beginsField(name: string, end: number): boolean {
    const after = this.text[end] ?? "";
    if ((name === "payload" || name === "tag") && (after === "." || after === "[")) return true;
    if (after && ":=~<>!".includes(after)) return true;
    const spaced = end + (this.look(SPACE, end)?.length ?? 0);
    return NAMES.has(name) && this.look(OPERATOR, spaced) !== null;
  }

  /** A job's id, or text that the payload holds. */
  private freeText(start: number): void {
    const word = this.match(FREE, "a field or text");
    const found: Filter = JOB_ID.test(word) ? jobId(word) : { payload_contains: word };
    for (const [member, value] of Object.entries(found)) this.set(member, value, start);
  }

  private field(name: string, start: number, negated: boolean): void {
    const hasPath = this.peek() === "." || this.peek() === "[";
    if (name === "payload" && hasPath) {
      this.jq.push(this.payloadTerm());
      return;
    }
    if (name === "tag" && hasPath) {
      this.tag(start);
      return;
    }
    if (!NAMES.has(name) || name === "tag")
      this.fail(`there is no field ${name}; to look for text, put it in double quotes`, start);
    const operator = this.operator();
    const at = this.at;
    const values = this.values();
    const allowed = operatorsOf(name);
    if (!allowed.includes(operator)) this.fail(`${name} takes ${allowed.join(" ")}, not ${operator}`, start);
    if (values.length > 1 && name !== "state") this.fail(`${name} takes one value`, at);
    let found: Filter;
    try {
      found = read(name, operator, values, this.nowMs, negated);
    } catch (error) {
      if (error instanceof Unreadable) this.fail(error.message, at);
      throw error;
    }
    for (const [member, value] of Object.entries(found)) this.set(member, value, start);
  }

  private tag(start: number): void {
    let key: string;
    if (this.take(".")) key = this.match(TAG, "the name of a tag");
    else {
      this.expect("[");
      key = this.string();
      this.expect("]");
    }
    if (!EQUAL.has(this.operator())) this.fail("a tag takes : and nothing else", start);
    this.filter.tags ??= {};
    if (Object.hasOwn(this.filter.tags, key)) this.fail(`tag ${key} is given twice`, start);
    this.filter.tags[key] = this.value();
  }

  // Payload terms become jq

  private payloadTerm(): string {
    const path = this.path();
    this.space();
    if (this.take("|")) return path + this.call();
    const operator = this.operator();
    if (operator === "~") return `${path} | contains(${JSON.stringify(this.value())})`;
    return `${path} ${EQUAL.has(operator) ? "==" : operator} ${this.literal(operator)}`;
  }

  private call(): string {
    this.space();
    FUNCTION.lastIndex = this.at;
    const found = FUNCTION.exec(this.text);
    if (found) {
      this.at += found[0].length;
      this.space();
      const argument = this.string();
      this.space();
      this.expect(")");
      return ` | ${found[1]}(${JSON.stringify(argument)})`;
    }
    if (!this.take("length")) this.fail("expected startswith, contains or length");
    const operator = this.operator();
    if (operator === "~") this.fail("length is compared with a number");
    return ` | length ${EQUAL.has(operator) ? "==" : operator} ${this.match(NUMBER, "a number")}`;
  }

  /** A JSON literal; a bare word is taken for a string. */
  private literal(operator: string): string {
    const start = this.at;
    if (this.peek() === '"') return JSON.stringify(this.string());
    const word = this.match(BARE, "a value");
    if (word === "null" && [">", ">=", "<", "<="].includes(operator))
      this.fail("null can only be compared by == and !=", start);
    if (["true", "false", "null"].includes(word) || WHOLE_NUMBER.test(word)) return word;
    return JSON.stringify(word);
  }

  private path(): string {
    let steps = "";
    for (;;) {
      if (this.take(".")) steps += `.${this.match(KEY, "a name")}`;
      else if (this.take("[")) {
        // jq wants a dot before the first bracket.
        steps += `${steps ? "" : "."}[${this.bracket()}]`;
        this.expect("]");
      } else return steps;
    }
  }

  private bracket(): string {
    if (this.peek() === '"') return JSON.stringify(this.string());
    return this.match(INDEX, "an index or a quoted key");
  }

  // Values

  private values(): string[] {
    const values = [this.textValue()];
    while (this.take(",")) values.push(this.textValue());
    return values;
  }

  /** Never empty: the server takes an empty filter for none, and would find every job. */
  private textValue(): string {
    const start = this.at;
    const value = this.value();
    if (!value) this.fail("the value is empty", start);
    return value;
  }

  private value(): string {
    return this.peek() === '"' ? this.string() : this.match(BARE, "a value");
  }

  private operator(): string {
    this.space();
    const operator = this.match(OPERATOR, "one of : ~ == != > >= < <=");
    if (operator !== ":") this.space();
    return operator;
  }

  private set(member: string, value: unknown, start: number): void {
    if (Object.hasOwn(this.filter, member)) this.fail(twice(member), start);
    (this.filter as Record<string, unknown>)[member] = value;
  }

  // Characters

  private string(): string {
    const start = this.at;
    const text = this.match(STRING, "a string in double quotes");
    try {
      return JSON.parse(text) as string;
    } catch {
      return this.fail("this is not a JSON string", start);
    }
  }

  private peek(): string {
    return this.text[this.at] ?? "";
  }

  private space(): void {
    this.at += this.look(SPACE, this.at)?.length ?? 0;
  }

  private skipToMore(): boolean {
    this.space();
    return this.at < this.text.length;
  }

  private take(text: string): boolean {
    if (!this.text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private expect(text: string): void {
    if (!this.take(text)) this.fail(`expected \`${text}\``);
  }

  private look(pattern: RegExp, at: number): string | null {
    pattern.lastIndex = at;
    return pattern.exec(this.text)?.[0] ?? null;
  }

  private match(pattern: RegExp, what: string): string {
    const found = this.look(pattern, this.at);
    if (found === null) return this.fail(`expected ${what}`);
    this.at += found.length;
    return found;
  }

  private fail(problem: string, at: number = this.at): never {
    throw new QueryRefused(problem, at + 1);
  }
}

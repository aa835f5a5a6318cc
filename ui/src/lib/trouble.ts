// What is wrong with a text that should be JSON, and where. Browsers say it in many ways, mostly without a place.

export interface Trouble {
  message: string;
  line: number;
  column: number;
}

/** Null if nothing is. */
export function troubleIn(text: string): Trouble | null {
  try {
    JSON.parse(text);
    return null;
  } catch {
    const { at, message } = new Scanner(text).find();
    const before = text.slice(0, at).split("\n");
    return { message, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  }
}

class Found extends Error {
  constructor(
    readonly at: number,
    message: string,
  ) {
    super(message);
  }
}

const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none of them in a string
const STRING = /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

/** Walks a text that is known to be wrong until it sees why. */
class Scanner {
  private at = 0;

  constructor(private readonly text: string) {}

  find(): Found {
    try {
      this.value();
      this.space();
      if (this.at < this.text.length) this.fail("nothing may follow");
    } catch (error) {
      if (error instanceof Found) return error;
      throw error;
    }
    return new Found(this.at, "this is not valid JSON");
  }

  private value(): void {
    this.space();
    const next = this.text[this.at];
    if (next === "{") this.list("}", () => this.member());
    else if (next === "[") this.list("]", () => this.value());
    else if (next === '"') this.string();
    else if (!this.take(NUMBER) && !this.take(WORD))
      this.fail(next === undefined ? "a value is missing" : "a value is expected");
  }

  private member(): void {
    this.space();
    if (this.text[this.at] !== '"') this.fail("a name in double quotes is expected");
    this.string();
    this.space();
    if (this.text[this.at] !== ":") this.fail("a colon is expected");
    this.at += 1;
    this.value();
  }

  private list(end: string, item: () => void): void {
    this.at += 1;
    this.space();
    if (this.text[this.at] === end) {
      this.at += 1;
      return;
    }
    for (;;) {
      item();
      this.space();
      const next = this.text[this.at];
      if (next !== "," && next !== end) this.fail(`a comma or ${end} is expected`);
      this.at += 1;
      if (next === end) return;
    }
  }

  private string(): void {
    if (!this.take(STRING)) this.fail("this string has no end, or a character that must be escaped");
  }

  private space(): void {
    this.take(SPACE);
  }

  private take(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) return false;
    this.at += found[0].length;
    return true;
  }

  private fail(message: string): never {
    throw new Found(this.at, message);
  }
}

// Server-sent events, read from a fetch. An EventSource would hide the keep-alives, which tell whether the
// line is alive, and cannot say what it wants in headers.

export interface Frame {
  id?: string;
  event: string;
  /** Empty if it only tells a number: that of the last event there was when the stream began. */
  data: string;
}

/** Takes text as it comes, in any pieces, and gives whole frames. A comment counts as a sign of life. */
export class FrameReader {
  private rest = "";

  push(text: string): Frame[] {
    this.rest += text;
    const parts = this.rest.split(/\r?\n\r?\n/);
    this.rest = parts.pop() ?? "";
    return parts.map(frame).filter((found): found is Frame => found !== null);
  }
}

function frame(text: string): Frame | null {
  let id: string | undefined;
  let event = "message";
  const data: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith(":")) continue;
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "id") id = value;
    else if (name === "event") event = value;
    else if (name === "data") data.push(value);
  }
  if (id === undefined && !data.length) return null;
  return id === undefined ? { event, data: data.join("\n") } : { id, event, data: data.join("\n") };
}

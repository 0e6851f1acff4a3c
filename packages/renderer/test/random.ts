/** Numbers and texts from a seed, so that a failure can be had again. */

/** A generator of numbers from 0 to 1 (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const PIECES = [
  "plain words",
  "\n",
  "\r",
  "\r\n",
  "\t",
  "\b\b",
  "漢字かな",
  "한글",
  "é",
  "e\u0301\u0302\u0303",
  "👩‍👩‍👧‍👦",
  "🏳️‍🌈",
  "👍🏽",
  "\u200b",
  "\u202e",
  "\u2066",
  "\x1b[31m",
  "\x1b[0m",
  "\x1b[1;4;38;5;208m",
  "\x1b[48;2;1;2;3m",
  "\x1b[K",
  "\x1b[2K",
  "\x1b[2J",
  "\x1b[H",
  "\x1b[?1049h",
  "\x1b[6n",
  "\x1b[c",
  "\x1b]0;title\x07",
  "\x1b]52;c;aGk=\x07",
  "\x1b]8;;https://example.org/a\x1b\\link\x1b]8;;\x1b\\",
  "\x1b]8;;javascript:alert(1)\x07x\x1b]8;;\x07",
  "\x1b]1337;File=:AAAA",
  "\x1bP1$r0m\x1b\\",
  "\x1b_Gf=100;AAAA\x1b\\",
  "\x1bc",
  "\x1b",
  "\x9b31m",
  "\x9d0;t\x9c",
  "\x90q",
  "\x00",
  "\x07",
  "\x7f",
  "\ud800",
  "\udc00",
  "                    ",
  "a".repeat(50),
  "→←↑↓",
  "│─╭╮",
  "नमस्ते",
  "क्षि",
  "กำน้ำ",
  "မြန်မာ",
  "কো",
  "\u{1f1fa}",
  "🇺🇸",
  "1️⃣",
  "☺️",
  "ᄒᆞᆫ",
  "ᄒᄒᄒ",
  "\u4dc0\u{1faf9}",
  "\x1b]8;;http://a/\u202eb\x1b\\c\x1b]8;;\x1b\\",
  "\x1b]8;id=1;file:///etc/passwd\x07f\x1b]8;;\x07",
  "\x1b]8;;data:text/html,x\x1b\\d",
  "\x1b]8;;https://example.org/\x9cafter",
  "\u2028\u2029\u0085",
  "\x84\x8d\x8e\x96\x97\x9a",
  "\x1bN\x1bO",
  "\x1b%G\x1b(0",
  "\t\t\tx\ty",
  "b".repeat(700),
  "שלום",
  "مرحبا",
  "\ufeff",
  "\u{e0041}",
  "\u3164",
];

/** A text of some pieces that terminals care about. */
export function hostileText(random: () => number, most = 40): string {
  const count = Math.floor(random() * most);
  return Array.from({ length: count }, () => PIECES[Math.floor(random() * PIECES.length)] ?? "").join("");
}

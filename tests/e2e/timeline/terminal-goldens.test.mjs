// Tests that xterm.js still makes of awkward terminal output what tests/support/terminal-screens.json says. tests/terminal.rs
// compares our terminal with that file, and `UPDATE_GOLDEN=1` writes it anew.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";

import xterm from "@xterm/headless";

import { random } from "../support/random.mjs";

// The addon reads its table from the first byte of a buffer on, so that buffer must be shared with no other.
Buffer.poolSize = 0;
const { UnicodeGraphemesAddon } = await import("@xterm/addon-unicode-graphemes");

const FILE = new URL("../../support/terminal-screens.json", import.meta.url);

/** Output by what is awkward about it. */
const AWKWARD = {
  "nothing": "",
  "lines": "one\ntwo\r\n\nthree\n",
  "a progress bar": "  0% [    ]\r 50% [==  ]\r100% [====]\ndone\n",
  "a shorter text over a longer one": "100%\r5",
  "the same with the rest erased": "100%\r5\x1b[K",
  "a spinner": "|\b/\b-\b\\\b \bok",
  "backspaces beyond the margin": "ab\b\b\b\bc",
  "a bar of several lines": "a: 1\nb: 1\nc: 1\n\x1b[3A\x1b[2Ka: 2\n\x1b[2Kb: 2\n\x1b[2Kc: 2\n",
  "lines that are drawn again, from the last up": "a\nb\nc\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K\x1b[Gx\ny",
  "the lines below are erased": "one\ntwo\nthree\n\x1b[2A\x1b[Jnew\n",
  "the rest and the lines below are erased": "one\ntwo\nthree\x1b[2A\x1b[2G\x1b[0J",
  "columns": "abcdef\x1b[3Gx\x1b[1Gy\x1b[`z\x1b[0Gw",
  "columns beyond the end": "ab\x1b[10Gc\x1b[3Cd",
  "to the left beyond the margin": "abc\x1b[99Dd",
  "lines up and down": "one\ntwo\nthree\x1b[2Fx\x1b[1Ey\x1b[1Ez",
  "down beyond the last line": "one\ntwo\x1b[9Bx\x1b[9Ey",
  "erased to the left": "abcdef\x1b[3D\x1b[1K",
  "erased to the left, beyond the end": "ab\x1b[5G\x1b[1Kc",
  "erased whole, the cursor stays": "abc\x1b[2Kd",
  "tabs": "a\tb\tc\n12345678\td\n1234567\te\n\t\tf",
  "a tab over text": "abcdefghij\r\tX",
  "a tab at the end": "a\t\nb",
  "a tab between colours": "\x1b[4;44ma\tb\x1b[0m",
  "form feed and vertical tab": "a\x0bb\x0cc",
  "bell, NUL and DEL": "a\x07b\0c\x7fd",
  "other controls": "a\x01b\x02c\x05d\x0ee\x0ff\x10g\x11h\x13i\x16j",
  "colours": "\x1b[31mred\x1b[42mon green\x1b[39mback\x1b[49m\x1b[91;104mbright\x1b[0mplain",
  "256 colours": "\x1b[38;5;1ma\x1b[38;5;9mb\x1b[38;5;16mc\x1b[38;5;110md\x1b[38;5;231me\x1b[38;5;232mf\x1b[48;5;255mg",
  "256 colours with colons": "\x1b[38:5:110ma\x1b[48:5:9mb",
  "true colours": "\x1b[38;2;1;2;3ma\x1b[48;2;250;128;0mb\x1b[38:2::9:8:7mc",
  "a true colour with colons and without a space of colours": "\x1b[48:2:9:8:7ma",
  "a colour and more": "\x1b[1;38;5;110;4ma\x1b[38;2;1;2;3;3mb",
  "colours that are none": "\x1b[38;5;300ma\x1b[0m\x1b[38;9;1mb\x1b[0m\x1b[38;5mc\x1b[0m\x1b[38md\x1b[0m\x1b[38;2;1;2me",
  "attributes": "\x1b[1mb\x1b[2md\x1b[3mi\x1b[4mu\x1b[7mr\x1b[9ms\x1b[22m2\x1b[23m3\x1b[24m4\x1b[27m7\x1b[29m9",
  "kinds of underlines": "\x1b[4:3mcurly\x1b[4:0mnone\x1b[21mdouble\x1b[24mnone",
  "the colour of underlines": "\x1b[4;58;5;1ma\x1b[58:2::1:2:3mb\x1b[59mc\x1b[58;2;1;2;3md",
  "attributes that are none": "\x1b[5;6;10;11;20;26;51;53;73;99ma\x1b[;;1mb\x1b[1;;3mc",
  "attributes with leading zeros": "\x1b[01;031ma\x1b[00mb",
  "a style across lines": "\x1b[1;32mone\ntwo\x1b[0m\nthree",
  "erased with a background": "abc\x1b[44m\x1b[2D\x1b[1Kx\x1b[0m",
  "a gap after a colour": "\x1b[41ma\x1b[3Cb",
  "titles and marks": "\x1b]0;title\x07a\x1b]9;4;1;50\x07b\x1b]133;A\x07c",
  "a link": "a\x1b]8;;https://x.example\x1b\\link\x1b]8;;\x1b\\b",
  "strings": "a\x1bPq#0\x1b\\b\x1b_apc\x1b\\c\x1b^pm\x1b\\d\x1bXsos\x1b\\e",
  "a string that is cancelled": "a\x1b]0;b\x18c\x1bPd\x1ae",
  "a sequence that is cancelled": "a\x1b[3\x18b\x1b[3\x1ac",
  "a sequence that is begun anew": "a\x1b[3\x1b[1mb\x1b\x1b[3mc",
  "controls within sequences": "abc\x1b[2\rDd\x1b[\b1me",
  "a line break within a sequence": "a\x1b[3\n1mb",
  "private modes": "\x1b[?25la\x1b[?2004hb\x1b[?25hc\x1b[>1ud\x1b[<ue\x1b[=1hf",
  "the other screen": "a\x1b[?1049hb\x1b[?1049lc",
  "questions": "a\x1b[6nb\x1b[cc\x1b[>0qd\x1b[?1;2ce\x1b]11;?\x07f",
  "character sets": "a\x1b(Bb\x1b)Bc\x1b%Gd\x1b=e\x1b>f",
  "the set of line drawing": "\x1b(0lqk\x1b(Bx",
  "intermediates": "a\x1b[2 qb\x1b[!pc\x1b[1$}d\x1b[1\"qe",
  "many parameters": `\x1b[${"1;".repeat(40)}31ma`,
  "a very large parameter": "a\x1b[99999999999Cb",
  "parameters of nothing": "abcd\x1b[;Ge\x1b[;;;Df\x1b[m",
  "back to a line that was erased": "hello\nab\x1b7\x1b[A\x1b[9C\x1b[J\x1b8X",
  "down to a line that was erased": "one\ntwo\nthree\x1b[2A\x1b[J\x1b[2Bx",
  "moves by their other names": "abc\ndef\x1b[A\x1b[3aX\x1b[eY",
  "the cursor is saved": "ab\x1b7cd\x1b8e\nfg\x1b[shi\x1b[uj",
  "index, next line and reverse index": "a\x1bDb\x1bEc\x1bMd",
  "C1 controls": "a\u009b31mb\u009d0;t\u009cc\u0085d\u0084e",
  "reverse index as a C1 control": "a\n\u008db",
  "characters are deleted": "abcdef\x1b[4D\x1b[2P",
  "characters are inserted": "abcdef\x1b[4D\x1b[2@x",
  "characters are erased": "abcdef\x1b[4D\x1b[2Xx",
  "a character is repeated": "a\x1b[3b",
  "letters": "é ü ß Ω ж א ع ✓ → █▓░ ⠋",
  "letters of other scripts over others": "ABC\ré✓█",
  "wide letters overwritten": "中中中中\rab",
  "half of a wide letter overwritten": "中文\rx",
  "the second half overwritten": "中文\x1b[2Gx",
  "a wide letter over two": "abcd\r\x1b[Cㄅ가",
  "a wide letter over halves": "中文字\x1b[2G木",
  "combining marks": "e\u0301x\ry",
  "several marks": "a\u0323\u0302b\bc",
  "marks of Thai and of Hindi": "กี่ข\x1b[2GX नमस्ते\x1b[4GY",
  "a mark without a letter": "\u0301a\n\u0301",
  "letters of Hangul in parts": "\u1112\u1161\u11abx\x1b[3Gy",
  "an emoji": "🎉x\x1b[3Gy",
  "half of an emoji overwritten": "🎉x\ry",
  "a family": "👩‍👩‍👧x\x1b[3Gy",
  "a family overwritten": "👩‍👩‍👧x\ry",
  "a skin": "👍🏽x\x1b[3Gy",
  "flags": "🇩🇪🇫🇷x\x1b[5Gy",
  "half of a flag overwritten": "🇩🇪🇫🇷x\r\x1b[Cy",
  "a heart as emoji": "❤️x\x1b[3Gy",
  "a sign as emoji over text": "abcd\r❤️",
  "the frame of a key": "1️⃣x\x1b[3Gy",
  "invisible characters": "a\u200bb\u2060c\ufeffd",
  "tabs behind wide letters": "中\tb\n中中中中\tc\n🎉é\td",
  "wide letters erased": "中文字x\x1b[4G\x1b[K",
  "wide letters erased to the left": "中文字x\x1b[3G\x1b[1K",
  "half of a wide letter erased": "中文字x\x1b[2G\x1b[2X",
  "wide letters deleted": "中文字x\x1b[2G\x1b[2P",
  "a blank within a wide letter": "中文字x\x1b[4G\x1b[@",
  "a wide letter erased by backspaces": "ab中\b\b  \b\bc",
  "full-width signs and half-width kana": "ＡＢ！ｱｲx\x1b[7Gy",
  "signs of either width": "①→█x\x1b[4Gy",
  "a table of wide letters": "| 名前 | n |\x1b[8G;\n| ab   | 1 |",
  "wide letters in colours": "\x1b[31m中\x1b[44m文\x1b[0m\x1b[2G\x1b[32mx",
  "a prompt": "\x1b]0;user@host: ~\x07\x1b[01;32muser@host\x1b[00m:\x1b[01;34m~\x1b[00m$ ls\n\x1b[0m\x1b[01;34mdir\x1b[0m  file\n",
  "cargo": "\x1b[1m\x1b[32m   Compiling\x1b[0m a v0.1.0\n\x1b[1m\x1b[36m    Building\x1b[0m [====>    ] 1/2: a   \r\x1b[K\x1b[1m\x1b[32m    Finished\x1b[0m `dev` profile\n",
  "npm": "\x1b[1G\x1b[0K⠙\x1b[1G\x1b[0K⠹\x1b[1G\x1b[0K\nadded 2 packages in 1s\n\x1b[1G\x1b[0K⠋\x1b[1G\x1b[0K",
  "pytest": "\x1b[1m=== test session starts ===\x1b[0m\n\x1b[1mcollecting ... \x1b[0mcollected 2 items\r\n\na.py \x1b[32m.\x1b[0m\x1b[31mF\x1b[0m\x1b[31m  [100%]\x1b[0m\n",
  "docker": "[+] Running 1/2\n \x1b[32m✔\x1b[0m a Pulled\n ⠋ b Pulling\n\x1b[1A\x1b[1A\x1b[1A\x1b[0G\x1b[?25l[+] Running 2/2\n \x1b[32m✔\x1b[0m a Pulled\n \x1b[32m✔\x1b[0m b Pulled\x1b[K\n\x1b[?25h",
  "git": "remote: Counting objects:  50% (1/2)\x1b[K\rremote: Counting objects: 100% (2/2)\x1b[K\rremote: Counting objects: 100% (2/2), done.\x1b[K\n",
  "grep": "\x1b[35m\x1b[Ka.rs\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[K\x1b[32m\x1b[K3\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[Kfn \x1b[01;31m\x1b[Kmain\x1b[m\x1b[K()\n",
  "apt": "\x1b7\x1b[24;0f\x1b[42m\x1b[30mProgress: [ 50%]\x1b[49m\x1b[39m\x1b8Setting up a\n",
};

/** What generated output is made of. Moves up and down, and the cursor's return, are added where there is a line to go to. */
const PARTS = [
  "a", "word", "two words", "é✓", "中", "文字", "e\u0301", "🎉", "👩‍👧", "🇩🇪", "\r", "\b", "\b\b\b", "\t", "\x07", "\x7f", "  ",
  // Without a background, with which xterm.js fills lines up to its right edge, new ones as well.
  "\x1b[49m\n", "\x1b[49m\r\n", "\x1b[49m\n\n", "\x1b[49m\x1b[K", "\x1b[49m\x1b[1K", "\x1b[49m\x1b[2K", "\x1b[49m\x1b[2P", "\x1b[49m\x1b[3X",
  "\x1b[C", "\x1b[7C", "\x1b[D", "\x1b[4D", "\x1b[G", "\x1b[6G",
  // At the margin: within a wide character xterm.js leaves a half of it.
  "\r\x1b[2@",
  "\x1b[m", "\x1b[1m", "\x1b[2;3m", "\x1b[22m", "\x1b[4m", "\x1b[7m", "\x1b[27m", "\x1b[9m", "\x1b[31m", "\x1b[39m", "\x1b[44m", "\x1b[49m", "\x1b[97;100m", "\x1b[38;5;110m", "\x1b[48;2;1;2;3m",
  "\x1b[?25l", "\x1b]0;title\x07", "\x1b(B", "\x1b[6n", "\x1b[3\x18",
];

function generated(count) {
  const below = random(7);
  return Array.from({ length: count }, () => {
    let output = "";
    let [row, bottom, saved] = [0, 0, -1];
    for (let left = 10 + below(40); left > 0; left -= 1) {
      const kind = below(24);
      if (kind === 0 && row > 0) {
        const up = 1 + below(row);
        output += `\x1b[${up}${"AF"[below(2)]}`;
        row -= up;
      } else if (kind === 1 && row < bottom) {
        const down = 1 + below(bottom - row);
        output += `\x1b[${down}${"BE"[below(2)]}`;
        row += down;
      } else if (kind === 2) {
        output += "\x1b[9B";
        row = Math.min(bottom, row + 9);
      } else if (kind === 3) {
        output += "\x1b[49m\x1b[J";
      } else if (kind === 4) {
        output += "\x1b7";
        saved = row;
      } else if (kind === 5 && saved >= 0) {
        output += "\x1b8";
        row = saved;
      } else {
        const part = PARTS[below(PARTS.length)];
        output += part;
        row += part.split("\n").length - 1;
        bottom = Math.max(bottom, row);
      }
    }
    return output;
  });
}

/** One of the 256 colours that is not among the first 16, as xterm's default palette has it. */
function fixed(index) {
  if (index > 231) return Array(3).fill(8 + 10 * (index - 232));
  const level = (step) => (step ? 55 + 40 * step : 0);
  return [36, 6, 1].map((place) => level(Math.floor((index - 16) / place) % 6));
}

function color(cell, which) {
  const value = cell[`get${which}Color`]();
  if (cell[`is${which}RGB`]()) return [value >> 16, (value >> 8) & 255, value & 255].join(",");
  if (!cell[`is${which}Palette`]()) return "";
  return value < 16 ? String(value) : fixed(value).join(",");
}

/** The style of a cell: letters for attributes, then the colours of the text and behind it. */
function style(cell) {
  const on = { b: cell.isBold(), d: cell.isDim(), i: cell.isItalic(), u: cell.isUnderline(), r: cell.isInverse(), s: cell.isStrikethrough() };
  const letters = Object.keys(on).filter((letter) => on[letter]).join("");
  return [letters, color(cell, "Fg"), color(cell, "Bg")].join("/");
}

const COLUMNS = 200;
const ROWS = 100;

/** What xterm.js shows in the end: for each line its runs, each a text and a style. */
async function screen(output) {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, scrollback: 1_000, convertEol: true, allowProposedApi: true, logLevel: "off" });
  // Widths as in Unicode 15, of what a reader takes for one character.
  terminal.loadAddon(new UnicodeGraphemesAddon());
  const write = (text) => new Promise((done) => terminal.write(text, done));
  // Ours has no screen, so its last line is the bottom.
  await write("\n".repeat(ROWS - 1));
  await write(output);
  const buffer = terminal.buffer.active;
  const lines = [];
  for (let row = ROWS - 1; row < buffer.length; row += 1) {
    const runs = [];
    for (let column = 0; column < COLUMNS; column += 1) {
      const cell = buffer.getLine(row).getCell(column);
      // The second half of a wide character; xterm.js can leave one without its first half.
      if (cell.getWidth() === 0 && column > 0 && buffer.getLine(row).getCell(column - 1).getWidth() === 2) continue;
      const [text, look] = [cell.getChars() || " ", style(cell)];
      if (runs.at(-1)?.[1] === look) runs.at(-1)[0] += text;
      else runs.push([text, look]);
    }
    lines.push(runs);
  }
  terminal.dispose();
  return lines;
}

test("xterm.js shows of awkward output what is written down for ours", async () => {
  const outputs = [...Object.entries(AWKWARD), ...generated(400).map((output) => [undefined, output])];
  const found = [];
  for (const [name, output] of outputs) found.push({ ...(name && { name }), output, lines: visible(await screen(output)) });
  if (process.env.UPDATE_GOLDEN) {
    const text = `[\n${found.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`;
    return writeFile(FILE, text.replaceAll(/[\x7f-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`));
  }
  assert.deepEqual(found, JSON.parse(await readFile(FILE, "utf8")));
});

/**
 * Lines without what nobody sees: styles of blanks that show nothing. Blanks at the end of a line are left out as well, since
 * xterm.js fills lines up to its right edge, and so are empty lines at the end.
 */
function visible(lines) {
  const shown = lines.map((runs) => {
    const seen = [];
    for (const [text, look] of runs) {
      for (const [part] of text.matchAll(/ +|[^ ]+/g)) {
        const [letters, , behind] = look.split("/");
        const plain = part.startsWith(" ") && !behind && !/[urs]/.test(letters);
        const shown = plain ? "//" : look;
        if (seen.at(-1)?.[1] === shown) seen.at(-1)[0] += part;
        else seen.push([part, shown]);
      }
    }
    while (seen.at(-1)?.[0].endsWith(" ")) {
      seen.at(-1)[0] = seen.at(-1)[0].trimEnd();
      if (!seen.at(-1)[0]) seen.pop();
    }
    return seen;
  });
  while (shown.length > 0 && shown.at(-1).length === 0) shown.pop();
  return shown;
}

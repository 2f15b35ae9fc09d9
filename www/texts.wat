;; Writes a text of JavaScript's into the page's memory, as UTF-8. Owns nothing but that; refuses to ask whether there is
;; room, which is three bytes for each unit of the text. `cargo xtask build` puts it into the package's index.js.
;;
;; As TextEncoder has it, half of a pair becomes U+FFFD: https://encoding.spec.whatwg.org/#utf-8-encoder
(module
  (import "page" "memory" (memory 1))
  ;; https://webassembly.github.io/js-string-builtins/js-api/
  (import "wasm:js-string" "length" (func $length (param externref) (result i32)))
  (import "wasm:js-string" "charCodeAt" (func $unit (param externref i32) (result i32)))

  ;; With a loop or a call inside of the loop the engine would look at the text anew for each unit: four times as slow.
  ;; Tells how many bytes were written from `to` on.
  (func (export "write") (param $text externref) (param $to i32) (result i32)
    (local $start i32) (local $length i32) (local $next i32) (local $code i32) (local $low i32)
    (local.set $start (local.get $to))
    (local.set $length (call $length (local.get $text)))
    (loop $units
      (if (i32.lt_u (local.get $next) (local.get $length)) (then
        (local.set $code (call $unit (local.get $text) (local.get $next)))
        (local.set $next (i32.add (local.get $next) (i32.const 1)))

        (if (i32.lt_u (local.get $code) (i32.const 0x80)) (then
          (i32.store8 (local.get $to) (local.get $code))
          (local.set $to (i32.add (local.get $to) (i32.const 1)))
          (br $units)))

        (if (i32.lt_u (local.get $code) (i32.const 0x800)) (then
          (i32.store8 (local.get $to) (i32.or (i32.const 0xC0) (i32.shr_u (local.get $code) (i32.const 6))))
          (i32.store8 offset=1 (local.get $to) (i32.or (i32.const 0x80) (i32.and (local.get $code) (i32.const 0x3F))))
          (local.set $to (i32.add (local.get $to) (i32.const 2)))
          (br $units)))

        (if (i32.eq (i32.and (local.get $code) (i32.const 0xF800)) (i32.const 0xD800)) (then
          (local.set $low (i32.const 0))
          (if (i32.and (i32.lt_u (local.get $code) (i32.const 0xDC00)) (i32.lt_u (local.get $next) (local.get $length)))
            (then (local.set $low (call $unit (local.get $text) (local.get $next)))))
          (if (i32.eq (i32.and (local.get $low) (i32.const 0xFC00)) (i32.const 0xDC00)) (then
            (local.set $next (i32.add (local.get $next) (i32.const 1)))
            ;; 0x10000 + ((code - 0xD800) << 10) + low - 0xDC00
            (local.set $code (i32.add
              (i32.shl (local.get $code) (i32.const 10))
              (i32.sub (local.get $low) (i32.const 0x35FDC00))))
            (i32.store8 (local.get $to) (i32.or (i32.const 0xF0) (i32.shr_u (local.get $code) (i32.const 18))))
            (i32.store8 offset=1 (local.get $to) (i32.or (i32.const 0x80) (i32.and (i32.shr_u (local.get $code) (i32.const 12)) (i32.const 0x3F))))
            (i32.store8 offset=2 (local.get $to) (i32.or (i32.const 0x80) (i32.and (i32.shr_u (local.get $code) (i32.const 6)) (i32.const 0x3F))))
            (i32.store8 offset=3 (local.get $to) (i32.or (i32.const 0x80) (i32.and (local.get $code) (i32.const 0x3F))))
            (local.set $to (i32.add (local.get $to) (i32.const 4)))
            (br $units)))
          (local.set $code (i32.const 0xFFFD))))

        (i32.store8 (local.get $to) (i32.or (i32.const 0xE0) (i32.shr_u (local.get $code) (i32.const 12))))
        (i32.store8 offset=1 (local.get $to) (i32.or (i32.const 0x80) (i32.and (i32.shr_u (local.get $code) (i32.const 6)) (i32.const 0x3F))))
        (i32.store8 offset=2 (local.get $to) (i32.or (i32.const 0x80) (i32.and (local.get $code) (i32.const 0x3F))))
        (local.set $to (i32.add (local.get $to) (i32.const 3)))
        (br $units))))
    (i32.sub (local.get $to) (local.get $start))))

### Names of invisible characters, shown in the text in their place.

backspace = backspace
carriage-return = carriage return
no-break-space = no-break space
soft-hyphen = soft hyphen
arabic-letter-mark = Arabic letter mark
zero-width-space = zero-width space
zero-width-non-joiner = zero-width non-joiner
zero-width-joiner = zero-width joiner
left-to-right-mark = left-to-right mark
right-to-left-mark = right-to-left mark
line-separator = line separator
paragraph-separator = paragraph separator
left-to-right-embedding = left-to-right embedding
right-to-left-embedding = right-to-left embedding
end-of-embedding = end of embedding
left-to-right-override = left-to-right override
right-to-left-override = right-to-left override
word-joiner = word joiner
left-to-right-isolate = left-to-right isolate
right-to-left-isolate = right-to-left isolate
first-strong-isolate = first strong isolate
end-of-isolate = end of isolate
blank-braille = blank braille
wide-space = wide space
hangul-filler = Hangul filler
byte-order-mark = byte order mark
odd-space = odd space
variation-selector = variation selector
tag-character = tag character
combining-mark = combining mark
# The same character several times: $name is one of the above.
repeated = { $name } × { $n }

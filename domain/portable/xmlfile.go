package portable

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"inkfeed/domain/locale"
)

// DecodeXML returns an XML document in the encoding of its byte order mark as UTF-8, and any other as it is.
func DecodeXML(r io.Reader) io.Reader {
	buffered := bufio.NewReader(r)
	begin, _ := buffered.Peek(4) // also if the document is shorter
	if from := markedEncoding(begin); from != nil {
		return transform.NewReader(buffered, from.NewDecoder())
	}
	return transform.NewReader(buffered, unicode.BOMOverride(transform.Nop)) // without a mark of UTF-8
}

// XML is an XML document while it is read.
type XML struct {
	*xml.Decoder
	blog     *Blog
	chars    *validXML
	reported int // the replaced characters that the report has
}

// ReadXML reads an XML document whose first element is root. It calls read for each further element, with the number of
// elements around it. Read reports whether it has decoded the whole element. The document may have the faults that
// exports have: HTML entities, unclosed elements and characters that XML does not allow.
func (b *Blog) ReadXML(r io.Reader, root string, read func(x *XML, depth int, e xml.StartElement) (bool, error)) error {
	chars := &validXML{r: bufio.NewReader(DecodeXML(r))}
	x := &XML{Decoder: xml.NewDecoder(chars), blog: b, chars: chars}
	x.Strict, x.Entity, x.CharsetReader = false, xml.HTMLEntity, chars.decode
	defer x.ReportReplaced("") // at the end of the document
	for depth := 0; ; {
		token, err := x.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if depth == 0 && token.Name.Local != root {
				return fmt.Errorf("it begins with <%s>", token.Name.Local)
			}
			x.ReportReplaced("")
			done := false
			if depth > 0 {
				if done, err = read(x, depth, token); err != nil {
					return err
				}
			}
			if !done {
				depth++
			}
		case xml.EndElement:
			depth--
		}
	}
}

// ReportReplaced reports the characters that were replaced since the last report: see ReplacedProblem.
func (x *XML) ReportReplaced(where string) {
	if x.chars.replaced > x.reported {
		x.blog.Problems = append(x.blog.Problems, ReplacedProblem(where))
		x.reported = x.chars.replaced
	}
}

// ReplacedProblem reports that characters of a text were replaced.
func ReplacedProblem(where string) Problem {
	return NewProblem(where, "invalid characters were replaced by \uFFFD")
}

// validXML reads XML in UTF-8, and replaces what is not a character of XML by U+FFFD. The decoder reads it byte by
// byte, so that replaced is the number of characters up to the place that the decoder has reached.
type validXML struct {
	r        *bufio.Reader
	char     [utf8.UTFMax]byte // the last character
	rest     []byte            // of it
	replaced int
	cdata    bool // within a CDATA section
	brackets int  // the closing brackets that were read last
}

// decode decodes XML in the encoding that it declares. XML in UTF-16 and UTF-32 is in UTF-8 already.
func (v *validXML) decode(charset string, _ io.Reader) (io.Reader, error) {
	if lower := strings.ToLower(charset); strings.HasPrefix(lower, "utf-16") || strings.HasPrefix(lower, "utf-32") {
		return v, nil
	}
	from, err := htmlindex.Get(charset)
	if err != nil || from == encoding.Replacement {
		return nil, NewFault(locale.M("its encoding is {charset}, not UTF-8", "charset", charset), nil)
	}
	if from != unicode.UTF8 {
		v.r = bufio.NewReader(transform.NewReader(v.r, from.NewDecoder()))
	}
	return v, nil
}

// ReadByte returns the next byte of the valid document.
func (v *validXML) ReadByte() (byte, error) {
	if len(v.rest) == 0 {
		c, err := v.r.ReadByte()
		if err != nil || c != '&' && c < utf8.RuneSelf && validChar(rune(c)) {
			return v.section(c), err
		}
		v.brackets = 0
		_ = v.r.UnreadByte()
		v.rest = utf8.AppendRune(v.char[:0], v.next())
	}
	c := v.rest[0]
	v.rest = v.rest[1:]
	return c, nil
}

// section follows the beginnings and ends of CDATA sections. It returns the byte c or, if c completes an end without a
// beginning, which the decoder refuses, begins a reference to c. A section within another leaves such an end.
func (v *validXML) section(c byte) byte {
	switch {
	case c == ']':
		v.brackets++
		return c
	case c == '<' && !v.cdata:
		next, _ := v.r.Peek(len("![CDATA["))
		v.cdata = string(next) == "![CDATA["
	case c == '>' && v.brackets > 1 && v.cdata:
		v.cdata = false
	case c == '>' && v.brackets > 1:
		v.rest = []byte("gt;")
		c = '&'
	}
	v.brackets = 0
	return c
}

// longestReference is the length of the longest reference to a character, such as "&#x0010FFFF;", that is checked.
const longestReference = 12

// next returns the next character, which may be a reference by number.
func (v *validXML) next() rune {
	r, size, _ := v.r.ReadRune()
	valid := validChar(r) && (r != utf8.RuneError || size > 1)
	if next, _ := v.r.Peek(longestReference); r == '&' && bytes.HasPrefix(next, []byte("#")) {
		number, _, ended := strings.Cut(string(next[1:]), ";")
		digits, base := strings.TrimLeft(number, "xX"), 16
		if digits == number {
			base = 10
		}
		if n, err := strconv.ParseUint(digits, base, 32); ended && err == nil && !validChar(rune(n)) {
			_, _ = v.r.Discard(len("#;") + len(number))
			valid = false
		}
	}
	if !valid {
		v.replaced++
		return utf8.RuneError
	}
	return r
}

// validChar reports whether XML allows a character.
func validChar(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD ||
		r >= 0x10000 && r <= utf8.MaxRune
}

// Read implements io.Reader, which package xml requires besides ReadByte.
func (v *validXML) Read(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		if p[n], err = v.ReadByte(); err == nil {
			n++
		}
	}
	return n, err
}

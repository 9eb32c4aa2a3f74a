package portable

import (
	"bufio"
	"encoding/xml"
	"io"
	"strings"

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

// NewXMLDecoder returns a decoder that tolerates the faults that exports have: HTML entities, unclosed elements
// and characters that XML does not allow.
func NewXMLDecoder(r io.Reader) *xml.Decoder {
	d := xml.NewDecoder(&validXML{r: DecodeXML(r)})
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = charsetReader
	return d
}

// charsetReader decodes XML in the encoding that it declares. XML in UTF-16 and UTF-32 is in UTF-8 already.
func charsetReader(charset string, input io.Reader) (io.Reader, error) {
	if lower := strings.ToLower(charset); strings.HasPrefix(lower, "utf-16") || strings.HasPrefix(lower, "utf-32") {
		return input, nil
	}
	from, err := htmlindex.Get(charset)
	if err != nil || from == encoding.Replacement {
		return nil, NewFault(locale.M("its encoding is {charset}, not UTF-8", "charset", charset), nil)
	}
	return transform.NewReader(input, from.NewDecoder()), nil
}

// validXML replaces characters that XML does not allow. Exports contain control characters that authors have typed.
type validXML struct{ r io.Reader }

func (v *validXML) Read(p []byte) (int, error) {
	n, err := v.r.Read(p)
	for i, c := range p[:n] {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			p[i] = ' '
		}
	}
	return n, err
}

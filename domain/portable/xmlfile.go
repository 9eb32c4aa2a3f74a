package portable

import (
	"encoding/xml"
	"io"
	"strings"

	"inkfeed/domain/locale"
)

// NewXMLDecoder returns a decoder that tolerates the faults that exports have: HTML entities, unclosed elements
// and characters that XML does not allow.
func NewXMLDecoder(r io.Reader) *xml.Decoder {
	d := xml.NewDecoder(&validXML{r: r})
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = charsetReader
	return d
}

// charsetReader accepts XML in UTF-8 only.
func charsetReader(charset string, input io.Reader) (io.Reader, error) {
	if strings.EqualFold(charset, "us-ascii") {
		return input, nil
	}
	return nil, NewFault(locale.M("its encoding is {charset}, not UTF-8", "charset", charset), nil)
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

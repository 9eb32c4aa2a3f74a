package following

import (
	"strings"
	"testing"
)

// A list of feeds never takes more steps than it has bytes, and its addresses never lead elsewhere than to an author or
// tag.
func FuzzReadOPML(f *testing.F) {
	f.Add(`<?xml version="1.0"?><opml version="2.0"><body><outline xmlUrl="http://a/@ada/feed.atom"/></body></opml>`)
	f.Add(`<opml><body><outline htmlUrl="/tags/c%23"><outline text="&lt;"/></outline></body></opml>`)
	f.Add(`<opml:opml xmlns:opml="x"><!-- - --><![CDATA[<outline xmlUrl="x"/>]]></opml:opml>`)
	f.Fuzz(func(t *testing.T, content string) {
		addresses, err := readOPML(strings.NewReader(content))
		if err != nil && len(addresses) > 0 {
			t.Errorf("%d addresses and %v", len(addresses), err)
		}
		if len(addresses) > strings.Count(content, "outline") {
			t.Errorf("%d addresses", len(addresses))
		}
		for _, address := range addresses {
			if name, value := sourceAt(address); (name == "") != (value == "") || strings.Contains(value, "/") {
				t.Errorf("%q is %q, %q", address, name, value)
			}
		}
	})
}

package subscribing_test

import (
	"bytes"
	"regexp"
	"testing"

	"inkfeed/domain"
	"inkfeed/web"
	"inkfeed/web/webtest"
)

func TestMain(m *testing.M) { webtest.Main(m) }

// newSite returns a site that can mail subscribers.
func newSite(t *testing.T, change ...func(*web.Config)) *webtest.Site {
	t.Helper()
	s := &webtest.Site{T: t, Data: webtest.NewDatabase(t), Log: &bytes.Buffer{}}
	c := webtest.Config(s.Data, s.Log, webtest.KeyOne)
	c.URL = "http://example.com"
	for _, f := range change {
		f(&c)
	}
	s.Restart(c)
	return s
}

var linkPattern = regexp.MustCompile(`(?m)^http://example\.com(/mail/\S+)$`)

// link returns the path of the only link in the last mail, which is to this address.
func link(t *testing.T, s *webtest.Site, to string) string {
	t.Helper()
	text := s.MailTo(to).Text
	found := linkPattern.FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("there is no link in %q", text)
	}
	return found[1]
}

// publish publishes a post with a tag in a series and returns its path.
func publish(v *webtest.Visitor) string {
	v.T.Helper()
	return v.CreatePostWith("A title", "A text.", func(p *domain.Post) {
		p.Tags, p.Details.Series = "go", "A series"
	}).Path()
}

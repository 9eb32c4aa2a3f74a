package pagecache

import (
	"context"
	"testing"

	"github.com/a-h/templ"

	"inkfeed/domain"
	"inkfeed/views"
	"inkfeed/web/site"
)

func TestAShellThatInsertsSomethingOutdatedIsFound(t *testing.T) {
	filledWith := func(reactions, form string) *pageShell {
		contents := map[string]string{"reactions": reactions, views.CommentFormGap: form}
		return &pageShell{Gaps: site.Gaps{
			Fill: func(context.Context, domain.User) (map[string]templ.Component, bool, error) {
				components := make(map[string]templ.Component)
				for name, text := range contents {
					components[name] = templ.Raw(text)
				}
				return components, true, nil
			},
		}}
	}
	for name, test := range map[string]struct {
		cached, anew *pageShell
		differs      bool
	}{
		"the same":            {filledWith("2 likes", "form"), filledWith("2 likes", "form"), false},
		"an outdated count":   {filledWith("2 likes", "form"), filledWith("3 likes", "form"), true},
		"the id of a form":    {filledWith("2 likes", "form"), filledWith("2 likes", "another form"), false},
		"no gaps of its own":  {&pageShell{}, &pageShell{}, false},
		"gaps that came anew": {&pageShell{}, filledWith("2 likes", "form"), true},
	} {
		difference, err := gapsDifference(t.Context(), cacheKey{}, test.cached, test.anew)
		if err != nil || (difference != "") != test.differs {
			t.Errorf("%s: the difference is %q, %v", name, difference, err)
		}
	}
}

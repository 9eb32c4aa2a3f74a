package folder

import (
	"strings"
	"testing"
	"time"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
)

func TestJekyllPermalinkIsExpanded(t *testing.T) {
	// A Monday in the first week of the year, by ISO 8601 of week year 2019.
	date := time.Date(2018, 12, 31, 7, 8, 9, 0, time.UTC)
	f := &folder{kind: kindJekyll, config: siteConfig{zone: time.UTC}}
	post := jekyllFile{"Old News/_posts/2018-12-31-Hello_World.2.md", "posts"}
	m := frontmatter.Values{"categories": "boats Sails", "category": "More words"}
	values := f.jekyllValues(date, post, "Hello_World.2", m)
	for pattern, want := range map[string]string{
		"date":               "/old news/boats/sails/more words/2018/12/31/Hello_World.2.html",
		"pretty":             "/old news/boats/sails/more words/2018/12/31/Hello_World.2/",
		"ordinal":            "/old news/boats/sails/more words/2018/365/Hello_World.2.html",
		"weekdate":           "/old news/boats/sails/more words/2018/W01/Mon/Hello_World.2.html",
		"none":               "/old news/boats/sails/more words/Hello_World.2.html",
		"/:year-:short_year": "/2018-18",
		"/:month/:i_month/:short_month/:long_month/": "/12/12/Dec/December/",
		"/:day/:i_day/:y_day":                        "/31/31/365",
		"/:w_year/:week/:w_day":                      "/2019/01/1",
		"/:short_day/:long_day":                      "/Mon/Monday",
		"/:hour:minute:second":                       "/070809",
		"/:title/:slug/:name":                        "/Hello_World.2/hello-world-2/2018-12-31-hello-world-2",
		"/:slugified_categories/":                    "/old-news/boats/sails/more-words/",
		"/:title:output_ext":                         "/Hello_World.2.html",
		"/:collection/:basename":                     "/posts/2018-12-31-Hello_World.2",
		"/:year_:month_:day_":                        "/2018_12_31_",
		"/:unknown/:title_x":                         "/:unknown/:title_x",
		"/no/placeholder.html":                       "/no/placeholder.html",
	} {
		t.Run(pattern, func(t *testing.T) {
			whole := pattern
			if style, ok := jekyllStyles[pattern]; ok {
				whole = style
			}
			if got := expandJekyll(whole, values); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
	t.Run("with and without padding", func(t *testing.T) {
		values := f.jekyllValues(time.Date(2020, 1, 2, 0, 0, 0, 0, time.UTC), post, "x", nil)
		if got := expandJekyll("/:month:i_month/:day:i_day/:y_day", values); got != "/011/022/002" {
			t.Errorf("%s", got)
		}
	})
	t.Run("with the path within a collection", func(t *testing.T) {
		values := f.jekyllValues(date, jekyllFile{"_recipes/soups/leek.md", "recipes"}, "leek", nil)
		if got := expandJekyll("/:collection/:path:output_ext", values); got != "/recipes/soups/leek.html" {
			t.Errorf("%s", got)
		}
	})
}

func TestJekyllSlugIsWrittenAsByJekyll(t *testing.T) {
	for text, want := range map[string][2]string{
		"Hello World":       {"hello-world", "Hello-World"},
		"_What's_ new?":     {"what-s-new", "_What's_-new"},
		"release-1.2":       {"release-1-2", "release-1.2"},
		"Übung macht 東京":    {"übung-macht-東京", "Übung-macht-東京"},
		"a -- b":            {"a-b", "a-b"},
		"c++ & c#":          {"c-c", "c++-&-c"},
		"":                  {"", ""},
		"~user @home, ok=1": {"user-home-ok-1", "~user-@home,-ok=1"},
	} {
		if got := jekyllSlug(text, slugDefault); got != want[0] {
			t.Errorf("%q is %q, want %q", text, got, want[0])
		}
		if got := jekyllSlug(text, slugPretty); got != want[1] {
			t.Errorf("%q in pretty mode is %q, want %q", text, got, want[1])
		}
	}
}

func TestHugoPermalinkIsExpanded(t *testing.T) {
	f := &folder{kind: kindHugo}
	page := hugoPage{file: hugoFile{dir: "posts/2020/trips", stem: "To The Sea"},
		sections: []string{"posts", "2020", "trips"}, sectionSlugs: []string{"articles", "journeys"},
		title: "What's by the Sea?", date: time.Date(2020, 3, 8, 9, 5, 7, 0, time.UTC), segment: f.hugoName}
	for pattern, want := range map[string]string{
		"/:year/:month/:day/":                  "/2020/03/08/",
		"/:monthname/:weekday/:weekdayname":    "/March/0/Sunday",
		"/:yearday":                            "/68",
		"/:section/:title/":                    "/posts/whats-by-the-sea/",
		"/:sections/:slug/":                    "/posts/2020/trips/whats-by-the-sea/",
		"/:sections[1:]/:contentbasename":      "/2020/trips/to-the-sea",
		"/:sections[:1]/:filename":             "/posts/to-the-sea",
		"/:sections[:last]/:slugorfilename":    "/posts/2020/to-the-sea",
		"/:sections[last]/x":                   "/trips/x",
		"/:sections[1]/:slugorcontentbasename": "/2020/to-the-sea",
		"/:sections[7]/x":                      "//x",
		"/:sections[2:1]/x":                    "//x",
		"/:sectionslug/:sectionslugs/":         "/articles/articles/journeys/",
		"/:sectionslugs[last]/":                "/journeys/",
		"/:06/:1/:2/:Jan/":                     "/20/3/8/Mar/",
		`/a\:year/:year`:                       "/a:year/2020",
		"/:nothing/":                           "/:nothing/",
	} {
		t.Run(pattern, func(t *testing.T) {
			if got := page.expand(pattern); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
	t.Run("with a slug", func(t *testing.T) {
		page := page
		page.slug = "Own Slug"
		if got := page.expand("/:slug/:slugorfilename/:slugorcontentbasename/:title"); got !=
			"/own-slug/own-slug/own-slug/whats-by-the-sea" {
			t.Errorf("%s", got)
		}
	})
}

func TestHugoNameIsWrittenAsByHugo(t *testing.T) {
	plain, cased, bare := &folder{}, &folder{config: siteConfig{keepCase: true}},
		&folder{config: siteConfig{withoutMarks: true}}
	for _, c := range []struct {
		f          *folder
		name, want string
	}{
		{plain, "/Posts/What's New: A & B?", "/posts/whats-new-a-b"},
		{plain, "a  -  b", "a-b"},
		{plain, " x ", "x"},
		{plain, "Ünïcode_1.2+3~4@5#6", "ünïcode_1.2+3~4@5#6"},
		{plain, "50% and %41", "50-and-%41"},
		{cased, "/Posts/My Post", "/Posts/My-Post"},
		{bare, "Crème brûlée", "creme-brulee"},
	} {
		if got := c.f.hugoName(c.name); got != c.want {
			t.Errorf("%q is %q, want %q", c.name, got, c.want)
		}
	}
}

func TestGlobMatchesPathsAsInHugo(t *testing.T) {
	for _, c := range []struct {
		glob, name string
		want       bool
	}{
		{"/posts/*", "/posts/a", true},
		{"/posts/*", "/posts/a/b", false},
		{"/posts/**", "/posts/a/b", true},
		{"{/articles,/articles/**}", "/articles", true},
		{"{/articles,/articles/**}", "/articles/x/y", true},
		{"{/articles,/articles/**}", "/articlesx", false},
		{"**/index.md", "index.md", true},
		{"a/**/b", "a/b", true},
		{"a/**/b", "a/x/y/b", true},
		{"a?c", "abc", true},
		{"a?c", "a/c", false},
		{"a.b+c", "a.b+c", true},
		{"a.b", "axb", false},
		{"ü*", "über", true},
	} {
		re, err := portable.CompileGlob(c.glob, "$")
		if err != nil {
			t.Fatal(err)
		}
		if re.MatchString(c.name) != c.want {
			t.Errorf("%s and %s: want %v", c.glob, c.name, c.want)
		}
	}
	if _, err := portable.CompileGlob(strings.Repeat("a", portable.MaxGlob+1), "$"); err == nil {
		t.Error("a pattern that is too long is compiled")
	}
}

// FuzzPermalinks checks that every configuration results in an address or in none.
func FuzzPermalinks(f *testing.F) {
	f.Add("/:categories/:year/:title:output_ext", "a b", "x/_posts/2020-01-02-y.md", int64(0))
	f.Add("/:sections[1:]/:slug/:06\\:", "ö?", "posts/2020/index.md", int64(1e9))
	f.Add(":sections[last:-3]:sections[9999999999999999999]:_", "%", "", int64(-1e12))
	f.Fuzz(func(t *testing.T, pattern, title, name string, seconds int64) {
		s := &folder{config: siteConfig{zone: time.UTC}}
		date := time.Unix(seconds%(1<<40), 0).UTC()
		file := jekyllFile{name, "posts"}
		_ = expandJekyll(pattern, s.jekyllValues(date, file, title, frontmatter.Values{"categories": title}))
		h := hugoFile{dir: strings.Trim(name, "/"), stem: title}
		sections, slugs := s.sections(h)
		page := hugoPage{file: h, sections: sections, sectionSlugs: slugs, title: title, date: date,
			segment: s.hugoName}
		p := portable.Post{}
		p.AddPath(s.hugoName(page.expand(pattern)))
		if re, err := portable.CompileGlob(pattern, "$"); err == nil {
			_ = re.MatchString(name)
		}
		_, _ = portable.ParseTime(pattern, time.UTC)
		_, _, _ = datedName(name)
		_ = s.dateOfName(name)
	})
}

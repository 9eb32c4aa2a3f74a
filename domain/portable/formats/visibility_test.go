package formats_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

// Each line of front matter is tried in a folder of Markdown, in Jekyll and in Hugo.
func TestVisibilityFollowsFromFrontMatter(t *testing.T) {
	const published, unlisted, draft = portable.Published, portable.Unlisted, portable.Draft
	for line, want := range map[string]portable.Status{
		"layout: post":                      published,
		"draft: true":                       draft,
		"draft: false":                      published,
		"draft: yes":                        draft,
		`draft: "true"`:                     draft,
		"draft: soon":                       draft,
		"draft:":                            published,
		"published: false":                  draft,
		`published: "false"`:                draft,
		"published: off":                    draft,
		"published: true":                   published,
		"published: 2019-01-01":             published,
		"published: perhaps":                draft,
		"publish: false":                    draft,
		"publish: true":                     published,
		"dg-publish: false":                 draft,
		"private: true":                     draft,
		"private: false":                    published,
		"private: 'no'":                     published,
		"Private: family":                   draft,
		"public: false":                     draft,
		"status: draft":                     draft,
		"status: Published":                 published,
		"status: evergreen":                 published,
		"status: pending review by Bob":     draft,
		"status: unlisted":                  unlisted,
		"status: scheduled":                 published, // its date has passed
		"visibility: private":               draft,
		"visibility: public":                published,
		"visibility: unlisted":              unlisted,
		"visibility: followers":             draft,
		"hidden: true":                      unlisted,
		"hidden: false":                     published,
		"hidden: from Bob":                  draft,
		"unlisted: yes":                     unlisted,
		"listed: false":                     unlisted,
		"headless: true":                    draft,
		"headless: false":                   published,
		"password: hunter2":                 draft,
		"password: 1234":                    draft,
		"password:":                         published,
		"protected: true":                   draft,
		"members_only: true":                draft,
		"membersOnly: false":                published,
		"params: {private: true}":           draft,
		"privacy: public":                   published,
		"members: [ada, bob]":               draft,
		"access: public":                    published,
		"access: [staff]":                   draft,
		"expiryDate: 2020-01-01":            draft,
		"expiryDate: 2100-01-01":            published,
		"expiryDate: soon":                  draft,
		"build: {list: never}":              unlisted,
		"_build: {list: false}":             unlisted,
		"build: {render: never}":            draft,
		"build: {render: link}":             draft,
		"build: {publishResources: false}":  published,
		"build: {render: on Sundays}":       draft,
		"{hidden: true, private: true}":     draft,
		"{published: true, draft: true}":    draft,
		"{status: public, unlisted: true}":  unlisted,
		"{published: false, hidden: false}": draft,
	} {
		t.Run(line, func(t *testing.T) {
			front := "---\ndate: 2020-01-02\n" + line + "\n---\ntext\n"
			if strings.HasPrefix(line, "{") {
				front = "---\n{date: 2020-01-02, " + line[1:] + "\n---\ntext\n"
			}
			for kind, files := range map[string]map[string]string{
				"Markdown": {"a.md": front},
				"Jekyll":   {"_config.yml": "", "_posts/2020-01-02-a.md": front},
				"Hugo":     {"hugo.toml": "", "content/posts/a.md": front},
			} {
				b := read(t, files)
				if len(b.Posts) != 1 || b.Posts[0].Status != want {
					t.Errorf("%s: %+v, want %s", kind, b.Posts, want)
				}
			}
		})
	}
	t.Run("and unknown values are reported", func(t *testing.T) {
		b := read(t, map[string]string{"a.md": "---\nvisibility: followers\n---\ntext\n",
			"b.md": "---\naccess: [staff]\n---\ntext\n",
			"c.md": "---\npassword: x\n---\ntext\n", "d.md": "---\ndraft: true\n---\ntext\n"})
		for _, want := range []string{`a.md: imported as a draft: visibility: "followers" is not understood`,
			"b.md: imported as a draft: access: its value is not understood", "c.md: imported as a draft: it had a " +
				"password"} {
			if len(problems(b, want)) != 1 {
				t.Errorf("%q is not reported exactly once: %v", want, b.Problems)
			}
		}
		if len(b.Problems) != 3 {
			t.Errorf("problems %v", b.Problems)
		}
	})
}

func TestObsidianCommentsAreRemoved(t *testing.T) {
	b := read(t, map[string]string{"a.md": "A %%secret%% b `%%c%%`\n\n%%\nmore\n%%\nend\n"})
	if got := b.Posts[0].Content; got != "A  b `%%c%%`\n\nend" {
		t.Errorf("content %q", got)
	}
}

func TestJekyllPostWithAFutureDateIsScheduled(t *testing.T) {
	files := map[string]string{"_config.yml": "", "_posts/2030-04-05-by-name.md": "---\ntitle: By name\n---\ntext\n",
		"_posts/2020-01-01-by-date.md": "---\ntitle: By date\ndate: 2031-01-01 10:00\nhidden: true\n---\ntext\n",
		"_posts/2020-01-01-now.md":     "---\ntitle: Now\n---\ntext\n",
		"_posts/template.md":           "---\ntitle: No post\n---\ntext\n"}
	b := read(t, files)
	statuses(t, b, map[string]portable.Status{"By name": portable.Scheduled, "By date": portable.Scheduled,
		"Now": portable.Published, "No post": portable.Draft})
	if p := find(t, b, "By name"); p.Publish.Format("2006-01-02") != "2030-04-05" || p.Hidden ||
		strings.Join(p.Paths, " ") != "/2030/04/05/by-name" {
		t.Errorf("%+v", p)
	}
	if p := find(t, b, "By date"); p.Publish.Year() != 2031 || !p.Hidden {
		t.Errorf("%+v", p)
	}
	if len(problems(b, "Jekyll did not publish it")) != 1 {
		t.Errorf("problems %v", b.Problems)
	}
	t.Run("unless the site publishes future posts", func(t *testing.T) {
		files["_config.yml"] = "future: true\n"
		if p := find(t, read(t, files), "By name"); p.Status != portable.Published || !p.Publish.IsZero() {
			t.Errorf("%+v", p)
		}
	})
}

func TestJekyllDefaultsApply(t *testing.T) {
	const config = `
defaults:
  - scope: {path: ""}
    values: {author: Ada, tags: [all]}
  - scope: {path: "", type: posts}
    values: {permalink: "/p/:title/", layout: post}
  - scope: {path: "private"}
    values: {published: false}
  - scope: {path: "private/_posts/2020-01-03-open.md"}
    values: {published: true}
  - scope: {path: "drawer/*/_posts"}
    values: {hidden: true, categories: [kept]}
  - scope: {path: "", type: pages}
    values: {permalink: "/pages/:basename/"}
  - scope: {path: "", type: drafts}
    values: {tags: [unfinished]}
`
	text := func(title string) string { return "---\ntitle: " + title + "\n---\ntext\n" }
	b := read(t, map[string]string{"_config.yml": config, "_posts/2020-01-01-a.md": text("A"),
		"private/_posts/2020-01-02-b.md":    text("B"),
		"private/_posts/2020-01-03-open.md": text("C"), "drawer/x/_posts/2020-01-04-d.md": text("D"), "about.md": text(
			"About"),
		"_posts/2020-01-05-own.md": "---\ntitle: Own\npermalink: /mine\ntags: [own]\n---\ntext\n", "_drafts/e.md": text(
			"E")})
	statuses(t, b, map[string]portable.Status{"A": portable.Published, "B": portable.Draft, "C": portable.Published,
		"D":     portable.Unlisted,
		"About": portable.Unlisted, "Own": portable.Published, "E": portable.Draft})
	for title, want := range map[string]string{"A": "/p/a all", "C": "/p/open all|private",
		"D": "/p/d all|kept|drawer|x", "About": "/pages/about all", "Own": "/mine own", "E": "/p/e unfinished"} {
		p := find(t, b, title)
		if got := strings.Join(p.Paths, " ") + " " + strings.Join(p.Tags, "|"); got != want && title != "E" {
			t.Errorf("%s: %s, want %s", title, got, want)
		}
	}
}

func TestHugoCascadesApply(t *testing.T) {
	text := func(title string) string { return "---\ntitle: " + title + "\n---\ntext\n" }
	b := read(t, map[string]string{
		"hugo.toml": "[[cascade]]\nhidden = true\n[cascade.target]\npath = '/shelf/**'\n" +
			"[[cascade]]\ntags = ['site']\n" +
			"[[cascade]]\ndraft = true\n[cascade.target]\nenvironment = 'development'\n",
		"content/posts/_index.md": "---\ntitle: Posts\ncascade:\n  tags: [section]\n---\n",
		"content/posts/a.md":      text("A"),
		"content/posts/own.md":    "---\ntitle: Own\ntags: [own]\n---\ntext\n",
		"content/posts/private/_index.md": "---\ncascade:\n  - draft: true\n    _target: {path: " +
			"'/posts/private/se*'}\n  - build: {list: never}\n---\n",
		"content/posts/private/secret.md": text("Secret"),
		"content/posts/private/other.md":  text("Other"),
		"content/posts/private/open.md":   "---\ntitle: Open\nbuild: {list: always}\n---\ntext\n",
		"content/shelf/b.md":              text("B"),
		"content/kinds/_index.md":         "---\ncascade:\n  draft: true\n  target: {kind: section}\n---\n",
		"content/kinds/c.md":              text("C"),
	})
	statuses(t, b, map[string]portable.Status{"A": portable.Published, "Own": portable.Published,
		"Secret": portable.Draft, "Other": portable.Unlisted,
		"Open": portable.Published, "B": portable.Unlisted, "C": portable.Published})
	for title, want := range map[string]string{"A": "section", "Own": "own", "Secret": "section", "B": "site"} {
		if got := strings.Join(find(t, b, title).Tags, "|"); got != want {
			t.Errorf("the tags of %s are %s, want %s", title, got, want)
		}
	}
}

func TestFilesThatHugoDoesNotPublishAreDrafts(t *testing.T) {
	b := read(t, map[string]string{
		"hugo.toml": "ignoreFiles = ['\\.bak\\.md$']\n[languages.en]\n[languages.de]\n" +
			"disabled = true\n",
		"content/posts/a/index.md":         "---\ntitle: A\n---\ntext\n",
		"content/posts/a/notes.md":         "only for the page's template\n",
		"content/posts/a/deeper/more.md":   "only for the page's template\n",
		"content/posts/b.bak.md":           "---\ntitle: B\n---\ntext\n",
		"content/posts/c.de.md":            "---\ntitle: C\n---\ntext\n",
		"content/shared/index.md":          "---\ntitle: Shared\nheadless: true\n---\ntext\n",
		"themes/x/content/posts/theirs.md": "---\ntitle: Theirs\n---\ntext\n",
	})
	statuses(t, b, map[string]portable.Status{"A": portable.Published, "C": portable.Draft, "Shared": portable.Draft})
	for _, want := range []string{"left out: texts within page bundles, which are not pages (2,",
		"imported as a draft: its language is disabled", "imported as a draft: it was headless"} {
		if len(problems(b, want)) != 1 {
			t.Errorf("%q is missing in %v", want, b.Problems)
		}
	}
}

func TestPostsThatOnlyTheSiteHidesKeepTheirAddresses(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		path  string
	}{
		"by a configuration of Hugo that is not understood": {map[string]string{"hugo.toml": "[",
			"content/posts/a.md": front("")}, "/posts/a"},
		"by a configuration of Jekyll that is not understood": {map[string]string{"_config.yml": "a: [",
			"_posts/2020-01-02-a.md": front("")}, "/2020/01/02/a"},
		"by a list page of Hugo that is not understood": {map[string]string{"hugo.toml": "",
			"content/posts/_index.md": "---\na: [\n---\n", "content/posts/a.md": front("draft: false")}, "/posts/a"},
		"by a section of Zola that is not understood": {exportOf["ZolaSection"]("draft = "), "/x/y/a"},
		"by mounts of Hugo": {map[string]string{"hugo.yaml": "module: {mounts: [{source: texts, target: content, " +
			"excludeFiles: x}]}", "texts/posts/a.md": front("")}, "/posts/a"},
		"by a program of Eleventy": {exportOf["EleventyData"]("draft: isDraft"), "/posts/a"},
		"by a filter of Astro":     {exportOf["AstroRoute"]("getCollection('blog', isPublic)"), "/a"},
		"by the routes of Astro":   {exportOf["AstroRoute"]("getCollection('other')"), "/blog/a"},
	} {
		t.Run(name, func(t *testing.T) {
			b := read(t, c.files)
			if len(b.Posts) != 1 || !b.Posts[0].Held || !slices.Contains(b.Posts[0].Paths, c.path) {
				t.Errorf("%+v, want %s: %v", b.Posts, c.path, b.Problems)
			}
		})
	}
	b := read(t, map[string]string{"hugo.toml": "[", "content/posts/a.md": front("draft: true")})
	if len(b.Posts) != 1 || b.Posts[0].Held {
		t.Errorf("the draft would keep its addresses: %+v", b.Posts)
	}
}

func FuzzVisibility(f *testing.F) {
	f.Add("draft: maybe\npassword: x\nstatus: [a]", "- scope: {path: '{*'}\n  values: {published: false}")
	f.Add("build: {list: 1, render: {}}\ncascade: [[x]]", "{}")
	f.Fuzz(func(t *testing.T, front, defaults string) {
		text := "---\n" + front + "\n---\ntext\n"
		for _, files := range []map[string]string{{"_config.yml": "defaults:\n" + defaults,
			"_posts/2020-01-01-a.md": text},
			{"hugo.yaml": "cascade:\n" + defaults + "\npermalinks:\n" + defaults, "content/_index.md": text,
				"content/x/a.md": text}, {"a.md": text}} {
			b, err := formats.Read([]fs.FS{folder(files)}, now)
			sound(t, b, err)
		}
	})
}

package formats_test

import (
	"strings"
	"testing"

	"inkfeed/domain/portable"
)

func TestJekyllReadsFilesBelowItsSource(t *testing.T) {
	b := read(t, map[string]string{
		"_config.yml":               "source: site/src\nincludes_dir: parts\ndata_dir: facts\n",
		"site/src/parts/note.html":  "<b>{{ include.text }}</b>",
		"site/src/facts/people.yml": "ada:\n  name: Ada Lovelace\n",
		"site/src/about.md":         "---\ntitle: About\n---\nAbout us\n",
		"_includes/note.html":       "wrong",
		"_data/people.yml":          "ada:\n  name: wrong\n",
		"site/src/_posts/2020-1-2-a.md": "---\ntitle: A\n---\n{% include note.html text=\"Hi\" %} " +
			"{{ site.data.people.ada.name }} " +
			"[about]({% link about.md %})\n",
	})
	p := find(t, b, "A")
	contains(t, p.Content, "**Hi** Ada Lovelace")
	if p.Status != portable.Published {
		t.Errorf("%s: %v", p.Status, b.Problems)
	}
	if post, _ := leads(t, b, "A", "/site/src/about.md"); post != "About" ||
		!strings.Contains(p.Content, "/site/src/about.md") {
		t.Errorf("the link leads to %q: %s", post, p.Content)
	}
}

func TestJekyllSourceThatABuildMakesIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		posts int
		says  string
	}{
		"and the folder with posts is read instead": {map[string]string{"_config.yml": "source: .tmp/src\n",
			"src/_posts/2020-01-02-a.md":     "---\ntitle: A\n---\nText {% include x.html %}\n",
			"src/_includes/x.html":           "part",
			"old/src/_posts/2019-01-02-b.md": "---\ntitle: B\n---\nText\n"}, 1,
			`the folder ".tmp/src", which the configuration names as the source, is not in the export: the posts of ` +
				`the folder "src" are read instead`},
		"also if that is the site's own": {map[string]string{"_config.yml": "source: _site\n",
			"_posts/2020-01-02-a.md": "---\ntitle: A\n---\nText\n", "_site/_posts/2020-01-02-b.md": "text"}, 1,
			`the posts of the folder "." are read instead`},
		"if there are no posts": {map[string]string{"_config.yml": "source: build\n", "a.md": "Text\n"}, 0,
			`the folder "build", which the configuration names as the source, is not in the export`},
	} {
		t.Run(name, func(t *testing.T) {
			b := read(t, c.files)
			if len(b.Posts) != c.posts || len(problems(b, c.says)) != 1 {
				t.Errorf("%d posts, problems %v", len(b.Posts), b.Problems)
			}
		})
	}
}

func TestJekyllDataIsShown(t *testing.T) {
	data := map[string]string{
		"_config.yml":              "title: S\n",
		"_data/team.yml":           "ada:\n  name: Ada\n  posts: 3\n  none:\n",
		"_data/list.yaml":          "- title: One\n- title: Two\n",
		"_data/shop/items.json":    `[{"name": "Bean", "price": 1.5}, {"name": "Pea"}]`,
		"_data/shop/old/years.csv": "year,event\n1999,\"A, B\"\n2001,C\n",
		"_data/rates.tsv":          "code\trate\nEUR\t1.1\n",
		"_data/with space.v2.yml":  "key: spaced\n",
		"_data/broken.yml":         "a: [\n",
	}
	for code, want := range map[string]string{
		"{{ site.data.team.ada.name }}":                                                    "Ada",
		"{{ site.data.team[page.who].posts }}":                                             "3",
		`{{ site.data["team"]["ada"].name | upcase }}`:                                     "ADA",
		"{{ site.data.list[1].title }}":                                                    "Two",
		"{{ site.data.list.size }}":                                                        "2",
		"{{ site.data.shop.items.first.name }} {{ site.data.shop.items[0].price }}":        "Bean 1.5",
		"{{ site.data.shop.old.years[0].event }} {{ site.data.shop.old.years.last.year }}": "A, B 2001",
		"{{ site.data.rates[0].rate }}":                                                    "1.1",
		"{{ site.data.with_spacev2.key }}":                                                 "spaced",
		"{% assign who = site.data.team[page.who] %}{{ who.name }}":                        "Ada",
		"x{{ site.data.team.ada.missing }}{{ site.data.team.ada.none }}y":                  "xy",
		"{% include who.html %}":                                                           "of Ada",
	} {
		t.Run(code, func(t *testing.T) {
			files := map[string]string{"_posts/2020-01-02-a.md": "---\ntitle: A\nwho: ada\n---\n" + code + "\n",
				"_includes/who.html": "{% if site.data.team[page.who] %}of " +
					"{{ site.data.team[page.who].name }}{% endif %}"}
			for name, text := range data {
				files[name] = text
			}
			b := read(t, files)
			if p := find(t, b, "A"); p.Content != want || p.Status != portable.Published {
				t.Errorf("%q, %s, problems %v", p.Content, p.Status, b.Problems)
			}
		})
	}
	for _, code := range []string{"{{ site.data.absent.x }}", "{{ site.data.broken.a }}", "{{ site.data.team.ada }}",
		"{{ site.data.team.ada.name.size }}",
		"{{ site.data }}", "{{ site.data.list[ }}", "{{ site.data.team[page.absent].name }}"} {
		t.Run("unless it is not known: "+code, func(t *testing.T) {
			files := map[string]string{"_posts/2020-01-02-a.md": "---\ntitle: A\n---\n" + code + "\n"}
			for name, text := range data {
				files[name] = text
			}
			if p := find(t, read(t, files), "A"); p.Status != portable.Draft || p.Content != code {
				t.Errorf("%s: %q", p.Status, p.Content)
			}
		})
	}
}

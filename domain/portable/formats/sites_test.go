package formats_test

import (
	"maps"
	"strings"
	"testing"

	"inkfeed/domain/portable"
)

// paths compares the former addresses of posts, by their titles.
func paths(t *testing.T, b *portable.Blog, want map[string]string) {
	t.Helper()
	for title, addresses := range want {
		if got := strings.Join(find(t, b, title).Paths, " "); got != addresses {
			t.Errorf("%s was at %s, want %s", title, got, addresses)
		}
	}
}

func TestJekyllCollectionsAreRead(t *testing.T) {
	b := open(t, "jekyll-collections", portable.Options{})
	if b.Format != "Jekyll" || b.Title != "Collected" {
		t.Errorf("%s of %s", b.Title, b.Format)
	}
	statuses(t, b, map[string]portable.Status{"First": portable.Published, "At midnight": portable.Published,
		"On rivers":      portable.Published,
		"Blue Mauritius": portable.Unlisted, "Penny Black": portable.Published, "About": portable.Unlisted})
	paths(t, b, map[string]string{
		"First":          "/c/2021/3/4/first /c/old-first /c/older/first",
		"At midnight":    "/c/night walks/2021/3/4/at-midnight", // in Berlin it was before midnight
		"On rivers":      "/c/essays/on-rivers",
		"Blue Mauritius": "/c/stamps/blue_mauritius",
		"Penny Black":    "/c/stamps/penny-black",
		"About":          "/c/about-us",
	})
	if got := strings.Join(find(t, b, "On rivers").Tags, "|"); got != "essay" {
		t.Errorf("tags %s", got)
	}
	if post, _ := leads(t, b, "First", "/c/essays/on-rivers/"); post != "On rivers" {
		t.Errorf("the link leads to %q", post)
	}
	if len(problems(b, "left out: documents of collections that have no pages on the site (1,")) != 1 {
		t.Errorf("problems %v", b.Problems)
	}
}

func TestHugoSiteWithLanguagesIsRead(t *testing.T) {
	b := open(t, "hugo-languages", portable.Options{})
	if b.Format != "Hugo" || b.Title != "Two tongues" {
		t.Errorf("%s of %s", b.Title, b.Format)
	}
	statuses(t, b, map[string]portable.Status{"Café & bar": portable.Published, "Kaffee": portable.Published,
		"Own address":  portable.Published,
		"Root address": portable.Published, "Deep": portable.Published, "About": portable.Unlisted})
	paths(t, b, map[string]string{
		"Café & bar":   "/blog/2020/cafe-bar /blog/2020/old-cafe /blog/up /blog/very/old",
		"Kaffee":       "/blog/de/2020/kaffee",
		"Own address":  "/blog/de/eigene/adresse",
		"Root address": "/blog/root/2020/Page /blog/root/2020/page",
		"Deep":         "/blog/deep/way-down",
		"About":        "/blog/about",
	})
}

func TestHugoConfigurationIsReadFromAnyFile(t *testing.T) {
	const toml, yaml, json = "baseURL = 'https://a.example'\n[permalinks]\nposts = '/:year/:slug'\n",
		"baseURL: https://a.example\npermalinks:\n  posts: /:year/:slug\n",
		`{"baseURL": "https://a.example", "permalinks": {"posts": "/:year/:slug"}}`
	for name, text := range map[string]string{
		"hugo.toml": toml, "hugo.yaml": yaml, "hugo.yml": yaml, "hugo.json": json,
		"config.toml": toml, "config.yaml": yaml,
		"config.json":               json,
		"config/_default/hugo.toml": toml, "config/_default/hugo.yaml": yaml, "config/_default/hugo.json": json,
		"config/_default/config.toml": toml, "config/_default/config.yml": yaml, "config/_default/config.json": json,
		"config/_default/permalinks.toml":       "posts = '/:year/:slug'\n",
		"config/_default/permalinks.yaml":       "posts: /:year/:slug\n",
		"config/_default/permalinks.json":       `{"posts": "/:year/:slug"}`,
		"config/production/permalinks.toml":     "[permalinks]\nposts = '/:year/:slug'\n",
		"a-zip-of-it/config/_default/hugo.toml": toml,
	} {
		t.Run(name, func(t *testing.T) {
			root, _, inside := strings.Cut(name, "/")
			if root += "/"; !inside || root == "config/" {
				root = ""
			}
			b := read(t, map[string]string{name: text, root +
				"content/posts/a.md": "---\ntitle: A\ndate: 2020-01-02\n---\ntext\n", root + "README.md": "x\n"})
			if b.Format != "Hugo" || len(b.Posts) != 1 {
				t.Fatalf("%d posts of %s", len(b.Posts), b.Format)
			}
			paths(t, b, map[string]string{"A": "/2020/a"})
		})
	}
	t.Run("in the order of precedence: environment, default, root", func(t *testing.T) {
		b := read(t, map[string]string{"hugo.toml": "title = 'root'\n[permalinks]\nposts = '/root/:slug'\nnotes = " +
			"'/n/:slug'\n",
			"config/_default/hugo.toml":        "title = 'default'\n[permalinks]\nposts = '/default/:slug'\n",
			"config/production/permalinks.yml": "posts: /production/:slug\n",
			"config/staging/permalinks.yml":    "posts: /staging/:slug\n",
			"content/posts/a.md":               "---\ntitle: A\ndate: 2020-01-02\n---\ntext\n",
			"content/notes/b.md":               "---\ntitle: B\ndate: 2020-01-02\n---\ntext\n"})
		if b.Title != "default" {
			t.Errorf("title %s", b.Title)
		}
		paths(t, b, map[string]string{"A": "/production/a", "B": "/n/b"})
	})
	t.Run("and reported if it is invalid", func(t *testing.T) {
		b := read(t, map[string]string{"config/_default/hugo.toml": "title = \n", "content/posts/a.md": "text\n"})
		if len(b.Posts) != 1 || len(problems(b, "configuration is not understood")) != 1 {
			t.Errorf("problems %v", b.Problems)
		}
	})
}

func TestHugoPermalinkIsChosenByKindAndTarget(t *testing.T) {
	post := "---\ntitle: My Post\nslug: own\ndate: 2020-01-02\n---\ntext\n"
	for name, c := range map[string]struct{ config, file, want string }{
		"by section":         {"[permalinks]\nposts = '/:year/:title'", "posts/a.md", "/2020/my-post"},
		"of another section": {"[permalinks]\nnotes = '/:year/:title'", "posts/a.md", "/posts/own"},
		"by kind": {"[permalinks.page]\nposts = '/:year/:title'\n[permalinks.section]\nposts = '/p'",
			"posts/a.md", "/2020/my-post"},
		"of the root": {"[permalinks]\n'/' = '/root/:slug'", "a.md", "/root/own"},
		"of the deeper section": {"[permalinks]\nposts = '/p/:slug'\n'posts/x' = '/x/:slug'", "posts/x/a.md",
			"/x/own"},
		"in any case": {"[Permalinks]\nPosts = '/:year/:title'", "Posts/a.md", "/2020/my-post"},
		"by targets": {"[[permalinks]]\npattern = '/t/:slug'\n[permalinks.target]\nkind = 'page'\npath " +
			"= '/posts/**'", "posts/x/a.md", "/t/own"},
		"with a plus":              {"[permalinks]\nposts = '/:filename'", "posts/c++ and more.md", "/c-and-more"},
		"with the default section": {"uglyURLs = true", "posts/a.md", "/posts/own"},
		"with the case kept": {"disablePathToLower = true\n[permalinks]\nposts = '/:section/:contentbasename'",
			"posts/Big A.md", "/posts/Big-A"},
		"with dates of names": {"[frontmatter]\ndate = [':filename', ':default']\n[permalinks]\nposts = " +
			"'/:year/:month/:slugorfilename'", "posts/2019-05-06-b.md", "/2019/05/own"},
		"in a subfolder": {"[languages.en]\n[languages.de]\n", "posts/a.de.md", "/de/posts/own"},
		"of the default language": {"defaultContentLanguageInSubdir = true\n[languages.en]\n", "posts/a.md",
			"/en/posts/own"},
		"of a host by language": {"[languages.de]\nbaseURL = 'https://de.example/blog/'\n", "posts/a.de.md",
			"/blog/posts/own"},
		"of another folder": {"contentDir = 'texts'", "../texts/posts/a.md", "/posts/own"},
		"of a folder that is mounted as a section": {"[[module.mounts]]\n" +
			"source = 'texts'\ntarget = 'content/posts/x'\n",
			"../texts/a.md", "/posts/x/own"},
		"of a language": {"[permalinks]\nposts = '/p/:slug'\n[languages.en]\n[languages.de.permalinks]\n" +
			"posts = '/artikel/:slug'\n", "posts/a.de.md", "/de/artikel/own"},
		"of another language": {"[permalinks]\nposts = '/p/:slug'\n[languages.en]\n[languages.de.permalinks]\n" +
			"posts = '/artikel/:slug'\n", "posts/a.md", "/p/own"},
		"of a mounted folder": {"[[module.mounts]]\nsource = 'texts/de'\ntarget = 'content'\nlang = " +
			"'de'\n[languages.de]\n", "../texts/de/posts/a.md", "/de/posts/own"},
	} {
		t.Run(name, func(t *testing.T) {
			file := "content/" + c.file
			if rest, ok := strings.CutPrefix(c.file, "../"); ok {
				file = rest
			}
			b := read(t, map[string]string{"hugo.toml": c.config, file: post})
			paths(t, b, map[string]string{"My Post": c.want})
		})
	}
	t.Run("with the slug from a dated file name, if configured", func(t *testing.T) {
		b := read(t, map[string]string{"hugo.toml": "[frontmatter]\ndate = [':filename']\n",
			"content/posts/2019-05-06-walk.md": "---\ntitle: T\n---\nx\n"})
		paths(t, b, map[string]string{"T": "/posts/walk"})
	})
	t.Run("with the year 1 for a page without a date", func(t *testing.T) {
		b := read(t, map[string]string{"hugo.toml": "[permalinks]\nposts = '/:year/:month/:filename'\n",
			"content/posts/2019-05-06-walk.md": "---\ntitle: T\n---\nx\n"})
		paths(t, b, map[string]string{"T": "/1/01/2019-05-06-walk"})
	})
	t.Run("with the section of the closest list", func(t *testing.T) {
		b := read(t, map[string]string{"hugo.toml": "[permalinks]\nposts = '/:sections/:contentbasename'",
			"content/posts/2020/a.md":      "---\ntitle: A\n---\nx\n",
			"content/posts/2021/b.md":      "---\ntitle: B\n---\nx\n",
			"content/posts/2021/_index.md": "---\ntitle: Of 2021\n---\n"})
		paths(t, b, map[string]string{"A": "/posts/a", "B": "/posts/2021/b"})
	})
}

func TestFormerAddressesAreReadFromFrontMatter(t *testing.T) {
	const jekyll, hugo = "_config.yml", "hugo.yaml"
	for name, c := range map[string]struct{ generator, file, front, want string }{
		"an address of its own":  {hugo, "content/posts/a.md", "url: /x/y/", "/x/y"},
		"a whole address":        {hugo, "content/posts/a.md", "url: https://a.example/x/y/", "/x/y"},
		"an alias from the root": {hugo, "content/posts/a.md", "aliases: /x/", "/posts/a /x"},
		"an alias beside the page": {hugo, "content/posts/a.md", "aliases: [x, y/z.html]",
			"/posts/a /posts/x /posts/y/z"},
		"an alias above the page":     {hugo, "content/posts/a.md", "aliases: [../x]", "/posts/a /x"},
		"an alias far above the page": {hugo, "content/posts/a.md", "aliases: [../../../x]", "/posts/a /x"},
		"an alias of a bundle": {hugo, "content/posts/b/index.md", "aliases: [x]",
			"/posts/b /posts/x"},
		"an alias with an address": {hugo, "content/posts/a.md", "aliases: ['https://a.example/q?x=1']",
			"/posts/a /q"},
		"one redirect": {jekyll, "_posts/2020-01-02-a.md", "redirect_from: /x/",
			"/2020/01/02/a /x"},
		"several redirects": {jekyll, "_posts/2020-01-02-a.md",
			"redirect_from: [/x/, y.html, 'z w']", "/2020/01/02/a /x /y /z w"},
		"a permalink with placeholders": {jekyll, "_posts/2020-01-02-a.md", "permalink: /:year/x-:title.html",
			"/2020/x-a"},
		"a permalink without a slash": {jekyll, "_posts/2020-01-02-a.md", "permalink: x/y", "/x/y"},
		"a permalink of a draft":      {jekyll, "_drafts/a.md", "permalink: /x", "/x"},
		"a slug": {jekyll, "_posts/2020-01-02-a.md", "slug: Other One",
			"/2020/01/02/Other-One"},
		"a category in a folder": {jekyll, "boats/_posts/2020-01-02-a.md", "categories: [Sails]",
			"/boats/sails/2020/01/02/a"},
		"the same category twice": {jekyll, "boats/_posts/2020-01-02-a.md", "categories: boats",
			"/boats/2020/01/02/a"},
		"a date in front matter before that of the name": {jekyll, "_posts/2020-01-02-a.md", "date: 2019-05-06",
			"/2019/05/06/a"},
		"a time without a zone, in UTC or the site's zone": {jekyll, "_posts/2020-01-02-a.md",
			"date: 2019-05-06 01:02:03",
			"/2019/05/05/a /2019/05/06/a"},
		"a time that YAML reads as text": {jekyll, "_posts/2020-01-02-a.md", "date: 2019-05-06 01:02",
			"/2019/05/06/a"},
		"a category in two cases": {jekyll, "_posts/2020-01-02-a.md", "categories: [Z, z]",
			"/z/2020/01/02/a"},
		"a year of two digits":               {jekyll, "_posts/20-1-2-a.md", "layout: post", "/2020/01/02/a"},
		"an address in a folder of Markdown": {"x.md", "a.md", "permalink: /x/y\naliases: [z]", "/x/y /x/z"},
	} {
		t.Run(name, func(t *testing.T) {
			b := read(t, map[string]string{c.generator: "timezone: America/New_York\n", c.file: "---\ntitle: T\n" +
				c.front + "\n---\ntext\n"})
			paths(t, b, map[string]string{"T": c.want})
		})
	}
}

func TestHugoPagesOutsideOfSectionsAreUnlisted(t *testing.T) {
	b := read(t, map[string]string{"hugo.toml": "", "content/about.md": "---\ntitle: About\n---\nx\n",
		"content/now/index.md": "---\ntitle: Now\n---\nx\n",
		"content/dated.md":     "---\ntitle: Dated\ndate: 2020-01-02\n---\nx\n",
		"content/posts/a.md":   "---\ntitle: A\n---\nx\n"})
	statuses(t, b, map[string]portable.Status{"About": portable.Unlisted, "Now": portable.Unlisted,
		"Dated": portable.Published, "A": portable.Published})
}

func TestLinkByTheNameOfAFile(t *testing.T) {
	follow := func(t *testing.T, b *portable.Blog, title string) string {
		t.Helper()
		for from, p := range b.Posts {
			if p.Title != title {
				continue
			}
			_, dest, _ := strings.Cut(strings.TrimSpace(p.Content), "](")
			to, fragment, ok := portable.NewDirectory(b).Post(from, strings.TrimSuffix(dest, ")"))
			if !ok {
				return dest
			}
			return b.Posts[to].Title + "#" + fragment
		}
		t.Fatalf("there is no post %q", title)
		return ""
	}
	t.Run("a bundle of the page's language", func(t *testing.T) {
		b := read(t, map[string]string{
			"hugo.toml": "defaultContentLanguage = 'ko'\n[languages.ko]\nweight = " +
				"1\n[languages.en]\nweight = 2\n",
			"content/posts/sea/index.ko.md":  "---\ntitle: Bada\n---\nx\n",
			"content/posts/sea/index.en.md":  "---\ntitle: Sea\n---\nx\n",
			"content/posts/hill/index.en.md": "---\ntitle: Hill\n---\n[x]({{< relref \"sea#top\" >}})\n",
			"content/posts/hill/index.ko.md": "---\ntitle: Eondeok\n---\n[x]({{< ref \"/posts/sea\" >}})\n",
		})
		if got := follow(t, b, "Hill"); got != "Sea#top" {
			t.Errorf("the link leads to %s", got)
		}
		if got := follow(t, b, "Eondeok"); got != "Bada#" {
			t.Errorf("the link leads to %s", got)
		}
	})
	t.Run("a post of Jekyll with a number sign", func(t *testing.T) {
		for _, tag := range []string{"{% post_url 2017-10-04-C#-1 %}", "{% link _posts/2017-10-04-C#-1.md %}"} {
			b := read(t, map[string]string{"_config.yml": "", "_posts/2017-10-04-C#-1.md": "---\ntitle: One\n---\nx\n",
				"_posts/2018-01-02-b.md": "---\ntitle: Two\n---\n[x](" + tag + "#y)\n"})
			if got := follow(t, b, "Two"); got != "One#y" {
				t.Errorf("%s leads to %s", tag, got)
			}
		}
	})
}

func TestHugoReadsTheFoldersOfItsLanguagesOnly(t *testing.T) {
	post := func(title string) string { return "---\ntitle: " + title + "\ndate: 2020-01-02\n---\ntext\n" }
	files := map[string]string{
		"config/_default/hugo.toml":            "baseURL = 'https://a.example'\n",
		"config/_default/languages.en.toml":    "contentDir = 'content/en'\n",
		"config/_default/languages.pt-br.toml": "contentDir = 'content/pt-br'\n[cascade]\nhidden = true\n",
		"content/en/posts/a.md":                post("English"),
		"content/pt-br/posts/a.md":             post("Portuguese"),
		"content/fa/posts/a.md":                post("Not yet translated"),
		"content/template/posts/a.html":        post("To translate"),
	}
	t.Run("if each has one", func(t *testing.T) {
		b := read(t, files)
		paths(t, b, map[string]string{"English": "/posts/a", "Portuguese": "/pt-br/posts/a"})
		statuses(t, b, map[string]portable.Status{"English": portable.Published, "Portuguese": portable.Unlisted})
		if left := problems(b, "folders that are the content of no language (2,"); len(b.Posts) != 2 || len(left) != 1 {
			t.Errorf("%d posts, problems %v", len(b.Posts), b.Problems)
		}
	})
	t.Run("if they are mounted", func(t *testing.T) {
		mounted := maps.Clone(files)
		mounted["config/_default/module.toml"] = "[[mounts]]\nsource = 'content/en'\ntarget = 'content'\nlang = 'en'\n"
		b := read(t, mounted)
		if left := problems(b, "folders that are the content of no language (3,"); len(b.Posts) != 1 || len(left) != 1 {
			t.Errorf("%d posts, problems %v", len(b.Posts), b.Problems)
		}
	})
	t.Run("as drafts if only some files of a folder are mounted", func(t *testing.T) {
		mounted := maps.Clone(files)
		mounted["config/_default/module.toml"] =
			"[[mounts]]\nsource = 'content/en'\ntarget = 'content'\nexcludeFiles = ['**/a.md']\n"
		statuses(t, read(t, mounted), map[string]portable.Status{"English": portable.Draft})
	})
	t.Run("to which references lead", func(t *testing.T) {
		linked := maps.Clone(files)
		linked["content/en/a.md"], linked["content/pt-br/a.md"] = post("Root"), post("Raiz")
		b := read(t, linked)
		for _, c := range [][3]string{
			{"English", "/posts/a.md", "English"}, {"Portuguese", "/posts/a.md", "Portuguese"},
			{"Portuguese", "/a.md", "Raiz"}, {"Portuguese", "a.md", "Portuguese"}, {"English", "/posts/a/", "English"},
			{"Portuguese", "/posts/a/#x", "Portuguese"}, {"Portuguese", "/a", "Raiz"},
			{"Portuguese", "https://a.example/posts/a/", "English"}, {"Portuguese", "/pt-br/posts/a/", "Portuguese"},
			{"English", "/pt-br/posts/a/", "Portuguese"}} {
			if got, _ := leads(t, b, c[0], c[1]); got != c[2] {
				t.Errorf("%s in %s leads to %q", c[1], c[0], got)
			}
		}
		linked = maps.Clone(files)
		linked["content/en/notes/x.md"], linked["content/pt-br/notes/x.md"] = post("X"), post("X pt")
		b = read(t, linked)
		if got, _ := leads(t, b, "Portuguese", "x.md"); got != "X pt" {
			t.Errorf("a name leads to %q", got)
		}
	})
	t.Run("to which links lead by the names of their files", func(t *testing.T) {
		b := read(t, map[string]string{"hugo.toml": "[languages.en]\n[languages.de]\n",
			"content/posts/a.md": post("A"), "content/posts/a.de.md": post("A de"), "content/posts/b.md": post("B"),
			"content/posts/b.de.md":    "---\ntitle: Not translated\n---\n",
			"content/posts/c/index.md": post("C"), "content/posts/c/index.de.md": post("C de")})
		for _, c := range [][3]string{
			{"A de", "/posts/c/", "C de"}, {"A", "/posts/C", "C"}, {"C de", "/posts/a", "A de"},
			{"C de", "/posts/b", "B"}, {"A de", "c", "C de"}} {
			if got, _ := leads(t, b, c[0], c[1]); got != c[2] {
				t.Errorf("%s in %s leads to %q", c[1], c[0], got)
			}
		}
	})
	t.Run("and the site's folder if one has none", func(t *testing.T) {
		shared := maps.Clone(files)
		shared["config/_default/languages.de.toml"] = "title = 'Deutsch'\n"
		if b := read(t, shared); len(b.Posts) != 4 {
			t.Errorf("%d posts, problems %v", len(b.Posts), b.Problems)
		}
	})
}

package folder

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
)

// find recognises the generator by its files. The site may be in a folder of the export.
func (f *folder) find() {
	f.kind = kindPlain
	best := 100
	for _, name := range f.files.Paths {
		dir, base := path.Split(name)
		depth := strings.Count(dir, "/")
		if depth > 3 || depth >= best && f.kind != kindPlain {
			continue
		}
		kind := ""
		inConfig := isConfig(name) && inConfigFolder(dir)
		switch {
		case base == "_config.yml" || base == "_config.yaml", path.Base(path.Dir(name)) == "_posts":
			kind = kindJekyll
		case inConfig:
			kind = kindHugo
		case base == "hugo.toml", base == "hugo.yaml", base == "hugo.yml", base == "hugo.json",
			base == "config.toml" && !strings.HasPrefix(dir, "."), base == "_index.md",
			slices.Contains(configNames[kindHugo], base) && f.files.Within(dir+"content/"): // of anything else too
			kind = kindHugo
		}
		if kind == "" {
			continue
		}
		root := strings.TrimSuffix(dir, "/")
		switch {
		case path.Base(root) == "_posts":
			root = strings.TrimPrefix(path.Dir(root), ".")
		case base == "_index.md":
			i := strings.Index("/"+dir, "/content/")
			if i < 0 {
				continue
			}
			root = strings.TrimSuffix(dir[:i], "/")
		case inConfig:
			root = strings.Trim(strings.TrimSuffix(root, "config/"+path.Base(root)), "/")
		}
		f.kind, f.root, best = kind, root, strings.Count(root, "/")
	}
}

// siteFiles are files that only the sites of one generator have, with their names from the folder of the site.
var siteFiles = map[string]string{
	".eleventy.js": kindEleventy, "eleventy.config.js": kindEleventy, "eleventy.config.mjs": kindEleventy,
	"eleventy.config.cjs": kindEleventy, "eleventy.config.ts": kindEleventy, "_posts/_posts.json": kindEleventy,
	"_posts/_posts.11tydata.json": kindEleventy, "_posts/_posts.11tydata.js": kindEleventy,
	"astro.config.mjs": kindAstro, "astro.config.js": kindAstro, "astro.config.ts": kindAstro,
	"astro.config.cjs": kindAstro, "astro.config.mts": kindAstro, "src/content.config.ts": kindAstro,
	"src/content.config.js": kindAstro, "src/content/config.ts": kindAstro, "src/content/config.js": kindAstro,
	"pelicanconf.py": kindPelican,
}

// configurers read the configurations of generators. Others are read by configure itself.
var configurers = map[string]func(*folder){
	kindHexo: (*folder).configureHexo, kindEleventy: (*folder).configureEleventy, kindAstro: (*folder).configureAstro,
	kindPelican: (*folder).configurePelican,
}

// findConfigured recognises the generators of siteFiles, and Hexo, whose files have the names of Jekyll's. A
// configuration of Hugo, Jekyll or Zola that is in fewer folders decides.
func (f *folder) findConfigured() {
	if f.kind == kindZola || f.kind == kindHugo && f.hasConfigOfHugo() {
		return
	}
	if dir, ok := strings.CutSuffix("/"+f.root, "/source"); ok && f.kind == kindJekyll &&
		f.isHexo(strings.Trim(dir, "/")) {
		f.kind, f.root = kindHexo, strings.Trim(dir, "/")
	} else if f.kind == kindJekyll && f.isHexo(f.root) {
		f.kind = kindHexo
	}
	depth := 4
	if f.kind != kindPlain && f.root != "" {
		depth = strings.Count(f.root, "/") + 2
	} else if f.kind != kindPlain {
		depth = 1
	}
	for file, kind := range siteFiles {
		for _, name := range f.files.ByName[path.Base(file)] {
			root, ok := strings.CutSuffix("/"+name, "/"+file)
			if n := strings.Count(root, "/"); ok && f.files.RootOf[name] == 0 && (n < depth || n == depth-1 &&
				kind < f.kind) {
				f.kind, f.root, depth = kind, strings.Trim(root, "/"), n+1
			}
		}
	}
}

// isHexo reports whether a folder with Jekyll's names of files is a site of Hexo, which has the posts in source/_posts.
// So have Octopress and other sites of Jekyll that name the folder as their source. These date all files.
func (f *folder) isHexo(root string) bool {
	posts := path.Join(root, "source/_posts") + "/"
	if !f.files.Within(posts) && !f.files.Within(path.Join(root, "source/_drafts")+"/") {
		return false
	}
	says := func(name string, what *regexp.Regexp) bool {
		body, err := f.files.ReadText(path.Join(root, name), portable.MaxConfig)
		return err == nil && what.Match(body)
	}
	configs := []string{"_config.yml", "_config.yaml", "source/_config.yml", "source/_config.yaml"}
	inConfig := func(what *regexp.Regexp) bool {
		return slices.ContainsFunc(configs, func(name string) bool { return says(name, what) })
	}
	switch {
	case says("package.json", packageOfHexo):
		return true
	case says("Gemfile", gemOfJekyll), inConfig(settingOfJekyll):
		return false
	case inConfig(settingOfHexo):
		return true
	}
	isDated := !f.files.Has(path.Join(root, configs[0])) && !f.files.Has(path.Join(root, configs[1]))
	for _, name := range f.files.Paths {
		if stem, inPosts := strings.CutPrefix(name, posts); inPosts && portable.IsText(name) {
			if _, rest, ok := datedName(path.Base(stem)); !ok || rest == "" {
				return true
			}
			isDated = true
		}
	}
	return !isDated
}

var (
	packageOfHexo   = regexp.MustCompile(`"hexo"\s*:`)
	gemOfJekyll     = regexp.MustCompile(`(?m)^[^#\n]*\b(?:jekyll|github-pages)\b`)
	settingOfJekyll = regexp.MustCompile(`(?m)^["']?(?:source|defaults|gems|collections)["']?[ \t]*:|` +
		`^(?:plugins[ \t]*:[^#\n]*|[ \t]*-[ \t]*["']?)jekyll-`)
	settingOfHexo = regexp.MustCompile(`(?m)^(?:new_post_name|source_dir|public_dir|archive_dir|tag_dir|category_dir|` +
		`default_category|skip_render|post_asset_folder|render_drafts|index_generator|deploy)[ \t]*:`)
)

// isPost reports whether a file is read as a post or a page.
func (f *folder) isPost(name string) bool {
	if !portable.IsText(name) && !(f.kind != kindPlain && isHTML(name)) {
		return false
	}
	rest, inside := f.inside(name)
	if !inside {
		return false
	}
	if f.vault != nil {
		return f.isNote(rest)
	}
	isMDX := strings.EqualFold(path.Ext(name), ".mdx")
	switch f.kind {
	case kindHexo:
		_, _, ok := f.hexoFile(rest)
		return ok && !isMDX
	case kindEleventy:
		_, ok := f.eleventyFile(rest)
		return ok
	case kindAstro:
		_, _, ok := f.astroFile(rest)
		return ok && !isHTML(name)
	case kindPelican:
		_, ok := f.pelicanFile(rest)
		return ok && !isHTML(name) && !isMDX
	case kindZola:
		return isZolaPost(rest) && !isMDX
	case kindHugo:
		_, ok := f.hugoFile(rest)
		return ok && !isMDX && !matchesAny(f.config.ignored, rest)
	case kindJekyll:
		_, ok := f.jekyllFile(rest)
		return ok && !isMDX
	}
	return !aboutTheSource(name)
}

// postsAt describes where the generator keeps posts.
func (f *folder) postsAt() locale.Message {
	switch f.kind {
	case kindHugo, kindZola:
		return locale.Verbatim(path.Join(f.root, "content"))
	case kindJekyll:
		return locale.Verbatim(path.Join(f.root, f.config.source, "_posts") + ", _drafts")
	case kindHexo, kindEleventy, kindPelican:
		return locale.Verbatim(cmp.Or(path.Join(f.root, f.config.source), "."))
	case kindAstro:
		return locale.Verbatim(path.Join(f.root, "src/content") + ", src/pages")
	}
	return locale.M("the folder")
}

// checkOutside reports a file that looks like a post but is outside the generator's folders for posts: Markdown
// with a date in its front matter.
func (f *folder) checkOutside(name string) {
	rest, inside := f.inside(name)
	if dir := f.config.unusedContent; dir != "" && inside && strings.HasPrefix(rest, dir+"/") {
		if _, read := f.hugoFile(rest); !read && (portable.IsText(name) || isHTML(name)) {
			f.skip(rest, locale.M("texts in folders that are the content of no language"))
			return
		}
	}
	if f.kind == kindPlain || f.vault != nil || !inside || !portable.IsText(name) || f.isPost(name) ||
		aboutTheSource(name) || strings.HasPrefix(rest, "archetypes/") || strings.HasPrefix(rest, "scaffolds/") ||
		strings.HasPrefix(rest, ".") {
		return
	}
	body, err := f.files.ReadText(name, portable.MaxText)
	if err != nil {
		return
	}
	m, _, err := frontmatter.Split(string(body))
	if err == nil && m.Get("date") != nil {
		f.blog.AddProblem(rest, "not imported: it looks like a post, but is not in %s", f.postsAt())
	} else if configurers[f.kind] != nil {
		f.skip(rest, locale.M("Markdown files outside of the folders of posts"))
	}
}

func isHTML(name string) bool {
	ending := strings.ToLower(path.Ext(name))
	return ending == ".html" || ending == ".htm"
}

// aboutTheSource reports whether a file is documentation of the folder itself, such as a README.
func aboutTheSource(name string) bool {
	switch strings.ToLower(strings.TrimSuffix(path.Base(name), path.Ext(name))) {
	case "readme", "license", "changelog", "contributing", "code_of_conduct":
		return true
	}
	return false
}

// inside returns a file's path within the site. It returns false for files outside.
func (f *folder) inside(name string) (string, bool) {
	if f.root == "" {
		return name, true
	}
	return strings.CutPrefix(name, f.root+"/")
}

// nameOf returns a file's name without its extension or, for an index, the name of its folder.
func nameOf(rest string) string {
	stem := strings.TrimSuffix(path.Base(rest), path.Ext(rest))
	if strings.EqualFold(stem, "index") && path.Dir(rest) != "." {
		stem = path.Base(path.Dir(rest))
	}
	return stem
}

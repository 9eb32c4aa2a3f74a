package folder

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/folder/permalink"
	"inkfeed/domain/portable/frontmatter"
)

// siteConfig holds the settings of a generator that affect the addresses, dates and visibility of a site's
// pages. Settings that the site leaves out have the generator's default.
type siteConfig struct {
	values  frontmatter.Values // all settings; the keys of Hugo's are in lower case
	title   string
	address string         // of the site, as configured
	prefix  string         // of all paths, without a slash at the end
	zone    *time.Location // the zone of dates without one
	future  bool           // whether pages with a future date are published
	unread  bool           // whether a file of the configuration is not understood
	held    bool           // whether all posts are drafts: see Post.Hold

	emoji           bool // names of emoji in texts, such as :+1:, are shown as emoji
	plainHeadings   bool // Hugo's headings have no attributes
	blockAttributes bool // Hugo's blocks have attributes

	// permalink is Jekyll's pattern or style for posts.
	permalink string
	hexoNames permalink.HexoNames // the names of files with posts
	// source is the folder, within the site, that the generator reads; empty: the whole.
	source string
	// collections are Jekyll's by their label, without posts and drafts.
	collections    map[string]collection
	collectionsDir string // the folder, within source, of all collections
	// defaults are Jekyll's defaults of front matter, in the order of the file.
	defaults []frontMatterDefault
	excluded []*regexp.Regexp // paths that Jekyll leaves out
	included []string         // paths that Jekyll reads although their names begin with _ or .

	// permalinks are Hugo's patterns: see permalinkFor.
	permalinks []permalinkRule
	ugly       bool // Hugo's uglyURLs, of any section: pages are at /a.html, which is the same path as /a
	// cascades are front matter that Hugo's configuration gives to pages.
	cascades []cascade
	// contents are the folders, within the site, that Hugo reads pages from.
	contents []contentFolder
	// unusedContent is the site's content folder if contents replace it, otherwise empty.
	unusedContent string
	ignored       []*regexp.Regexp // Hugo's ignoreFiles: paths
	keepCase      bool             // Hugo's disablePathToLower
	withoutMarks  bool             // Hugo's removePathAccents
	fileDates     bool             // Hugo reads dates and slugs from the names of files
	fileDateWins  bool             // whether these precede those of the front matter

	// language is Hugo's default language in lower case, and languages are all languages.
	language       string
	languages      []language
	languageSubdir bool // the default language has a prefix too

	// taxonomies maps the singular of Hugo's taxonomies to the plural, which is the first part of the address of a
	// term: tag to tags. Their own patterns are in permalinks, under the kinds "taxonomy" and "term", by the plural.
	taxonomies map[string]string
	// archives are the patterns of the plugin jekyll-archives by type: "year", "month",
	// "day", "tag" and "category". Empty without the plugin.
	archives map[string]string
	// pagination is the path of further pages of a list: for Hugo the word before the
	// number ("page"), for Jekyll a pattern relative to the list ("/page:num/").
	pagination string
	// feeds are the paths of the site's feeds within the site, such as "/index.xml" or "/feed.xml". Hugo has a feed
	// with the same name for each section and term.
	feeds []string
}

// language is one of a Hugo site's languages.
type language struct {
	name     string // in lower case, as in the name of a file: post.de.md
	prefix   string // of its paths within the site: "/de", or empty
	address  string // its own base address, or empty
	disabled bool
}

// contentFolder is a folder with pages of Hugo.
type contentFolder struct {
	dir      string
	language string // of all its pages, or empty: their names tell
	at       string // its place in the content, with a slash at the end, or empty
}

// configNames are the files that contain a site's whole configuration, in the order in which the generators look for
// them.
var configNames = map[string][]string{
	kindJekyll: {"_config.yml", "_config.yaml", "_config.toml"},
	kindHugo: {"hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json",
		"config.toml", "config.yaml", "config.yml", "config.json"},
}

// configFolders are Hugo's folders of configuration files. Later folders override earlier ones.
var configFolders = []string{"config/_default", "config/production"}

// inConfigFolder reports whether a folder, with a slash at its end, is one of configFolders.
func inConfigFolder(dir string) bool {
	return slices.ContainsFunc(configFolders, func(folder string) bool {
		return strings.HasSuffix("/"+dir, "/"+folder+"/")
	})
}

// configure reads the generator's configuration.
func (f *folder) configure() {
	f.config = siteConfig{zone: time.UTC}
	switch {
	case f.zola != nil:
		f.configureZola()
		return
	case f.vault != nil, f.kind == kindPlain: // the settings are those of an editor
		return
	case configurers[f.kind] != nil:
		configurers[f.kind](f)
		return
	}
	m := make(frontmatter.Values)
	for _, name := range configNames[f.kind] {
		if name = path.Join(f.root, name); f.files.Has(name) {
			mergeConfig(m, f.load(name))
			break
		}
	}
	if f.kind == kindHugo {
		for _, dir := range configFolders {
			f.mergeFolder(m, path.Join(f.root, dir))
		}
	}
	f.configureCommon(m)
	switch f.kind {
	case kindHugo:
		f.configureHugo(m)
	case kindJekyll:
		f.configureJekyll(m)
	}
}

// configureCommon reads the settings that most generators have.
func (f *folder) configureCommon(m frontmatter.Values) {
	c := &f.config
	c.values = m
	c.title = m.Text("title")
	f.files.Language = cmp.Or(m.Text("defaultContentLanguage", "languageCode", "lang", "locale"), f.files.Language)
	c.address = m.Text("baseURL", "url")
	c.future = m.Bool("buildFuture", "future")
	if name := m.Text("timeZone", "timezone"); name != "" {
		if zone, err := time.LoadLocation(name); err == nil {
			c.zone = zone
		} else {
			f.blog.AddProblem("", "the time zone %q is not known, so UTC is assumed", name)
		}
	}
}

// mergeFolder adds the files of a configuration folder. The files hugo.toml and config.toml contain top-level settings.
// Any other file contains the table of its name, such as params.toml; menus.de.toml contains that of a language.
func (f *folder) mergeFolder(m frontmatter.Values, dir string) {
	var tops, parts []string
	for _, name := range f.files.Paths {
		if path.Dir(name) != dir || !isConfig(name) {
			continue
		}
		switch base := path.Base(name); strings.TrimSuffix(base, path.Ext(base)) {
		case "hugo", "config":
			tops = append(tops, name)
		default:
			parts = append(parts, name)
		}
	}
	for _, name := range tops {
		mergeConfig(m, f.load(name))
	}
	for _, name := range parts {
		key := strings.ToLower(strings.TrimSuffix(path.Base(name), path.Ext(name)))
		value := map[string]any(f.load(name))
		if value == nil {
			continue
		}
		if whole, language, ok := strings.Cut(key, "."); ok {
			if whole == "params" || strings.HasPrefix(whole, "menu") { // otherwise all settings of the language
				value = map[string]any{whole: value}
			}
			key, value = "languages", map[string]any{language: value}
		} else if inner, ok := value[key].(map[string]any); ok && len(value) == 1 {
			value = inner // [params] in params.toml is allowed, too
		}
		mergeConfig(m, frontmatter.Values{key: value})
	}
}

// maxRules bounds each list of rules in a configuration, because each file is matched against all of them.
const maxRules = 1000

// atMost cuts a list of rules at maxRules and reports that.
func atMost[T any](f *folder, what string, rules []T) []T {
	if len(rules) <= maxRules {
		return rules
	}
	f.blog.AddProblem("", "the site's configuration has %d %s: only the first %d are read", len(rules), what, maxRules)
	return rules[:maxRules]
}

// matchesAny reports whether a path matches one of some patterns.
func matchesAny(patterns []*regexp.Regexp, name string) bool {
	return slices.ContainsFunc(patterns, func(re *regexp.Regexp) bool { return re.MatchString(name) })
}

func isConfig(name string) bool {
	return slices.Contains([]string{".toml", ".yaml", ".yml", ".json"}, path.Ext(name))
}

// mergeConfig adds settings to others, which it overrides. It merges tables, and copies a table if there was none.
func mergeConfig(to, from map[string]any) {
	for key, value := range from {
		inner, ok := value.(map[string]any)
		if !ok {
			to[key] = value
			continue
		}
		old, ok := to[key].(map[string]any)
		if !ok {
			old = make(map[string]any, len(inner))
			to[key] = old
		}
		mergeConfig(old, inner)
	}
}

// load reads a configuration file. Hugo ignores the case of keys, so they become lower case.
func (f *folder) load(name string) frontmatter.Values {
	body, err := f.files.ReadText(name, portable.MaxConfig)
	var m frontmatter.Values
	if err == nil {
		m, err = decodeConfig(name, body)
	}
	if err != nil { // it may say which posts are private
		f.config.unread = true
		f.blog.AddProblem("", "all posts are imported as drafts: the site's configuration is not understood: %v",
			portable.NewFault(locale.M("its syntax is not valid"), errors.New(frontmatter.FirstLine(err))))
	}
	if f.kind == kindHugo {
		m, _ = lowerKeys(map[string]any(m), 0).(map[string]any)
	}
	return m
}

func decodeConfig(name string, body []byte) (m frontmatter.Values, err error) {
	switch path.Ext(name) {
	case ".toml":
		return frontmatter.DecodeTOML(string(body))
	case ".json":
		return m, json.Unmarshal(body, &m)
	}
	return frontmatter.DecodeYAML(body)
}

// noteLists records the addresses of lists and feeds in the configuration.
func (f *folder) noteLists() {
	for _, l := range f.config.languages {
		switch {
		case l.disabled:
		case l.prefix != "":
			f.blog.Languages = append(f.blog.Languages, strings.Trim(l.prefix, "/"))
		case l.name != "": // it redirected to the home page
			f.blog.NoteList("/"+strings.ToLower(l.name), portable.Listing{})
		}
	}
	for _, singular := range slices.Sorted(maps.Keys(f.config.taxonomies)) { // the first of two has a common address
		address := path.Join("/", f.config.taxonomies[singular])
		f.blog.NoteList(address, portable.Listing{})
		if singular == "tag" || singular == "category" {
			f.blog.Taxonomies = append(f.blog.Taxonomies, address+"/")
		}
	}
	for _, kind := range []string{"tag", "category"} {
		if before, ok := strings.CutSuffix(strings.TrimSuffix(f.config.archives[kind], "/"), ":name"); ok {
			f.blog.Taxonomies = append(f.blog.Taxonomies, path.Join("/", before)+"/")
		}
	}
	for _, feed := range f.config.feeds {
		form := ".rss"
		if f.kind == kindJekyll {
			form = ".atom"
		}
		f.blog.NoteList(feed, portable.Listing{Feed: form})
	}
}

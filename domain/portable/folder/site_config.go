package folder

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/goccy/go-yaml"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
)

// siteConfig holds the settings of a generator that affect the addresses, dates and visibility of a site's
// pages. Settings that the site leaves out have the generator's default.
type siteConfig struct {
	values  frontmatter.Values // all settings; the keys of Hugo's are in lower case
	title   string
	address string         // of the site, as configured
	prefix  string         // of all paths, without a slash at the end
	zone    *time.Location // of dates that name none
	future  bool           // pages with a date to come are published now

	// permalink is Jekyll's pattern or style for posts.
	permalink string
	// source is the folder, within the site, that Jekyll reads; empty: the whole.
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
	contents     []contentFolder
	ignored      []*regexp.Regexp // Hugo's ignoreFiles: paths
	keepCase     bool             // Hugo's disablePathToLower
	withoutMarks bool             // Hugo's removePathAccents
	fileDates    bool             // Hugo reads dates and slugs from the names of files
	fileDateWins bool             // and before those of the front matter

	// language is Hugo's default language in lower case, languages are all.
	language       string
	languages      []language
	languageSubdir bool // the default language has a prefix too

	// taxonomies are Hugo's, from the singular to the plural, which is the first part of
	// the address of a term: tag to tags. Patterns of their own are in permalinks, of the
	// kinds "taxonomy" and "term", by the plural.
	taxonomies map[string]string
	// archives are the patterns of the plugin jekyll-archives by type: "year", "month",
	// "day", "tag" and "category". Empty without the plugin.
	archives map[string]string
	// pagination is the path of further pages of a list: for Hugo the word before the
	// number ("page"), for Jekyll a pattern relative to the list ("/page:num/").
	pagination string
	// feeds are the paths of the site's feeds within the site ("/index.xml", "/feed.xml").
	// Hugo has one of the same name for each section and term.
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
}

// configNames are the files that hold a site's whole configuration, in the order in which
// the generators look for them.
var configNames = map[string][]string{
	kindJekyll: {"_config.yml", "_config.yaml", "_config.toml"},
	kindHugo: {"hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json",
		"config.toml", "config.yaml", "config.yml", "config.json"},
}

// configFolders are Hugo's folders of configuration files, the later ones override.
var configFolders = []string{"config/_default", "config/production"}

// inConfigFolder tells whether a folder, with its slash at the end, is one of configFolders.
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
	case f.vault != nil: // its settings are about an editor
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
	c := &f.config
	c.values = m
	c.title = m.Text("title")
	c.address = m.Text("baseURL", "url")
	c.future = m.Bool("buildFuture", "future")
	if name := m.Text("timeZone", "timezone"); name != "" {
		if zone, err := time.LoadLocation(name); err == nil {
			c.zone = zone
		} else {
			f.blog.AddProblem("", "the time zone %q is not known: UTC is assumed", name)
		}
	}
	switch f.kind {
	case kindHugo:
		f.configureHugo(m)
	case kindJekyll:
		f.configureJekyll(m)
	}
}

// mergeFolder adds the files of a folder of configuration: hugo.toml and config.toml are
// its top, any other file is the key of its name, such as params.toml or
// menus.de.toml, which is of a language.
func (f *folder) mergeFolder(m frontmatter.Values, dir string) {
	var tops, parts []string
	for _, name := range f.files.Order {
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
			value = map[string]any{language: map[string]any{whole: value}}
			key = "languages"
		} else if inner, ok := value[key].(map[string]any); ok && len(value) == 1 {
			value = inner // [params] in params.toml is the same
		}
		mergeConfig(m, frontmatter.Values{key: value})
	}
}

// maxRules bounds each list of rules of a configuration, for each file is held against them.
const maxRules = 1000

// atMost cuts a list of rules to what is read, and reports that.
func atMost[T any](f *folder, what string, rules []T) []T {
	if len(rules) <= maxRules {
		return rules
	}
	f.blog.AddProblem("", "the site's configuration has %d %s: only the first %d are read", len(rules), what, maxRules)
	return rules[:maxRules]
}

// matchesAny tells whether a path matches one of some patterns.
func matchesAny(patterns []*regexp.Regexp, name string) bool {
	return slices.ContainsFunc(patterns, func(re *regexp.Regexp) bool { return re.MatchString(name) })
}

func isConfig(name string) bool {
	return slices.Contains([]string{".toml", ".yaml", ".yml", ".json"}, path.Ext(name))
}

// mergeConfig adds settings to others, which give way. Tables are merged, and copied where
// there was none.
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

// load reads a file of configuration. Hugo knows its keys in any case: they come in lower case.
func (f *folder) load(name string) frontmatter.Values {
	body, err := f.files.Read(name, portable.MaxConfig)
	var m frontmatter.Values
	if err == nil {
		m, err = decodeConfig(name, body)
	}
	if err != nil {
		f.blog.AddProblem("", "the site's configuration is not understood: %v", frontmatter.FirstLine(err))
	}
	if f.kind == kindHugo {
		m, _ = lowerKeys(map[string]any(m), 0).(map[string]any)
	}
	return m
}

func decodeConfig(name string, body []byte) (m frontmatter.Values, err error) {
	switch path.Ext(name) {
	case ".toml":
		_, err = toml.Decode(string(body), &m)
		return m, err
	case ".json":
		return m, json.Unmarshal(body, &m)
	}
	if len(body) > frontmatter.MaxBytes {
		return nil, portable.ErrTooLarge
	}
	defer func() {
		if recover() != nil {
			err = portable.ErrTooLarge
		}
	}()
	err = yaml.Unmarshal(body, &m)
	return m, err
}

// lowerKeys writes the keys of tables in lower case. TOML's lists of tables become lists of
// any, as in YAML and JSON. Tables within more than 50 others are left out.
func lowerKeys(v any, depth int) any {
	if depth > 50 {
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		if v == nil {
			return v
		}
		lower := make(map[string]any, len(v))
		for key, value := range v {
			lower[strings.ToLower(key)] = lowerKeys(value, depth+1)
		}
		return lower
	case []map[string]any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = lowerKeys(v[i], depth+1)
		}
		return list
	case []any:
		for i := range v {
			v[i] = lowerKeys(v[i], depth+1)
		}
	}
	return v
}

// siteParams are the parameters of a site of Hugo's.
func (f *folder) siteParams() frontmatter.Values { return f.config.values.Table("params") }

package portable

import (
	"path"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/goccy/go-yaml"
)

// configure reads the generator's configuration. What it lacks is what the generators
// assume.
func (f *folder) configure() {
	f.config = siteConfig{zone: time.UTC, permalinks: make(map[string]string)}
	for _, name := range []string{"_config.yml", "_config.yaml", "hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "config.toml", "config.yaml", "config.yml", "config.json",
		"config/_default/hugo.toml", "config/_default/hugo.yaml", "config/_default/config.toml", "config/_default/config.yaml"} {
		if name = path.Join(f.root, name); f.files.Has(name) {
			f.configureFrom(name)
			break
		}
	}
	f.languagesOf(path.Join(f.root, "config/_default"))
}

func (f *folder) load(name string) frontMatter {
	body, err := f.files.Read(name, maxConfig)
	var m frontMatter
	if err == nil {
		m, err = decodeConfig(name, body)
	}
	if err != nil {
		f.blog.problem("", "the site's configuration is not understood: %v", firstLine(err))
	}
	return m
}

func decodeConfig(name string, body []byte) (m frontMatter, err error) {
	if path.Ext(name) == ".toml" {
		_, err = toml.Decode(string(body), &m)
		return m, err
	}
	if len(body) > maxFrontMatter {
		return nil, errTooLarge
	}
	defer func() {
		if recover() != nil {
			err = errTooLarge
		}
	}()
	return m, yaml.Unmarshal(body, &m)
}

func (f *folder) configureFrom(name string) {
	m, c := f.load(name), &f.config
	c.values = m
	c.title = m.text("title")
	c.address = m.text("baseURL", "url")
	c.permalink = m.text("permalink")
	c.ugly = m.yes("uglyURLs")
	c.future = m.yes("buildFuture", "future")
	c.language = m.text("defaultContentLanguage")
	if zone, err := time.LoadLocation(m.text("timeZone", "timezone")); err == nil {
		c.zone = zone
	}
	if prefix := strings.Trim(m.text("baseurl"), "/"); f.kind == kindJekyll && prefix != "" {
		c.prefix = "/" + prefix
	}
	links := m.get("permalinks")
	if byKind, ok := links.(map[string]any); ok {
		if pages, ok := byKind["page"].(map[string]any); ok {
			byKind = pages
		}
		for section, pattern := range byKind {
			if s, ok := pattern.(string); ok {
				c.permalinks[section] = s
			}
		}
	}
	f.addLanguages(m.get("languages"))
}

// siteParams are the parameters of a site of Hugo's, which may be in a file of their own.
func (f *folder) siteParams() frontMatter {
	for _, name := range []string{"params.toml", "params.yaml", "params.yml", "params.json"} {
		if name = path.Join(f.root, "config/_default", name); f.files.Has(name) {
			return f.load(name)
		}
	}
	return asMap(f.config.values.get("params"))
}

// languagesOf reads languages that have a file of their own.
func (f *folder) languagesOf(dir string) {
	for _, name := range []string{"languages.toml", "languages.yaml"} {
		if name = path.Join(dir, name); f.files.Has(name) {
			f.addLanguages(map[string]any(f.load(name)))
		}
	}
}

func (f *folder) addLanguages(languages any) {
	if byName, ok := languages.(map[string]any); ok {
		for name := range byName {
			f.config.languages = append(f.config.languages, strings.ToLower(name))
		}
	}
}

package folder

import (
	"path"
	"regexp"
	"strings"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
)

// pageTarget selects the pages to which a rule of Hugo's configuration applies. A nil field selects all pages.
type pageTarget struct {
	kind, path, language, environment *regexp.Regexp
}

// permalinkRule is a permalink pattern of a Hugo site and the pages that it applies to.
type permalinkRule struct {
	target  pageTarget
	pattern string
}

// cascade is front matter that Hugo adds to the pages below a page.
type cascade struct {
	target   pageTarget
	settings frontmatter.Values
}

// branch is the data of a list page, _index.md, that affects the pages below it.
type branch struct {
	language string
	title    string // its slug if it has one, otherwise its title
	cascades []cascade
}

func (t pageTarget) matches(kind, name, language string) bool {
	for _, part := range []struct {
		pattern *regexp.Regexp
		value   string
	}{{t.kind, kind}, {t.path, name}, {t.language, language}, {t.environment, "production"}} {
		if part.pattern != nil && !part.pattern.MatchString(strings.ToLower(part.value)) {
			return false
		}
	}
	return true
}

// target parses the target of a rule. It reports a pattern that it does not understand; then the rule applies to all
// pages.
func (f *folder) target(m frontmatter.Values) (t pageTarget) {
	parts := map[string]**regexp.Regexp{
		"kind": &t.kind, "path": &t.path, "lang": &t.language, "environment": &t.environment,
	}
	for key, to := range parts {
		glob := strings.ToLower(m.Text(key))
		if glob == "" {
			continue
		}
		if key == "path" && !strings.HasPrefix(glob, "/") && !strings.HasPrefix(glob, "{") &&
			!strings.HasPrefix(glob, "*") {
			glob = "/" + glob
		}
		re, err := portable.CompileGlob(glob, "$")
		if err != nil {
			f.blog.AddProblem("", "the pattern %q of the site's configuration is not understood: %v", glob, err)
			continue
		}
		*to = re
	}
	return t
}

// cascadesIn parses a cascade: one table, or a list of tables.
func (f *folder) cascadesIn(v any) (list []cascade) {
	switch v := lowerKeys(v, 0).(type) {
	case map[string]any:
		settings := make(frontmatter.Values, len(v))
		for key, value := range v {
			if key != "_target" && key != "target" {
				settings[key] = value
			}
		}
		list = append(list, cascade{f.target(frontmatter.Values(v).Table("target", "_target")), settings})
	case []any:
		for _, each := range atMost(f, "cascades", v) {
			if table, ok := each.(map[string]any); ok {
				list = append(list, f.cascadesIn(table)...)
			}
		}
	}
	return list
}

// cascaded returns the settings that a page inherits from the lists above it, the closest first, and then from the
// site.
func (f *folder) cascaded(h hugoFile, m frontmatter.Values) frontmatter.Values {
	with := make(frontmatter.Values, len(m))
	for key, value := range m {
		with[key] = value
	}
	give := func(list []cascade) {
		for _, c := range list {
			if !c.target.matches("page", h.path(), h.language) {
				continue
			}
			for key, value := range c.settings {
				own, isTable := with.Get(key).(map[string]any)
				switch inherited, _ := value.(map[string]any); {
				case with.Get(key) == nil:
					with[key] = value
				case key == "params" && isTable:
					merged := make(map[string]any)
					mergeConfig(merged, inherited)
					mergeConfig(merged, own)
					with[key] = merged
				}
			}
		}
	}
	for dir := h.dir; ; dir = strings.TrimPrefix(path.Dir(dir), ".") {
		for _, b := range f.branches[dir] {
			if b.language == h.language {
				give(b.cascades)
			}
		}
		if dir == "" {
			break
		}
	}
	give(f.config.cascades)
	return with
}

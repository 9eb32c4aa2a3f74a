package folder

import (
	"bytes"
	"encoding/csv"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
)

// notionPage moves the lines of a database's properties, which follow the title, into front matter. The database's
// table determines which properties exist.
func (f *folder) notionPage(file string, m frontmatter.Values, content string) string {
	if id := notionName.FindStringSubmatch(path.Base(file)); id != nil {
		words := strings.FieldsFunc(id[1], func(r rune) bool { return r == ' ' })
		m["permalink"] = "/" + strings.Join(words, "-") + "-" + strings.ToLower(id[2])
	}
	columns, before := f.notionColumns(path.Dir(file)), slices.Collect(maps.Keys(m))
	lines := strings.Split(strings.TrimLeft(content, "\n"), "\n")
	if len(lines) > 2 && strings.HasPrefix(lines[0], "# ") && strings.TrimSpace(lines[1]) == "" {
		at := 2
		for ; at < len(lines); at++ {
			found := notionLine.FindStringSubmatch(lines[at])
			if found == nil {
				break
			}
			name := strings.ToLower(strings.TrimSpace(found[1]))
			key := notionKeys[name]
			if key == "" && frontmatter.SetsVisibility(name) {
				key = name
			}
			if key == "" && !columns[name] {
				break
			}
			value := strings.TrimSpace(found[2])
			switch key {
			case "":
			case "tags", "category", "categories":
				m[key] = notionList(value)
			case "created", "date", "updated":
				if t, err := time.Parse("January 2, 2006 3:04 PM", value); err == nil {
					m[key] = domain.FromLocal(t, f.config.zone)
				} else {
					m[key] = value
				}
			default:
				m[key] = value
			}
		}
		if at < len(lines) && strings.TrimSpace(lines[at]) != "" { // the lines were text, not properties
			for key := range m {
				if key != "permalink" && !slices.Contains(before, key) {
					delete(m, key)
				}
			}
			at = 2
		}
		content = strings.Join(slices.Concat(lines[:2], lines[at:]), "\n")
	}
	content = notionAside.ReplaceAllStringFunc(content, func(s string) string {
		return markup.BlockQuote(notionAside.FindStringSubmatch(s)[1])
	})
	return notionTable.ReplaceAllString(content, "$1")
}

func notionList(value string) []any {
	var names []any
	for name := range strings.SplitSeq(value, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// notionColumns returns the names of a database's properties in lower case. The table of a folder of pages is beside
// it, under the same name.
func (f *folder) notionColumns(dir string) map[string]bool {
	if columns, known := f.vault.columns[dir]; known {
		return columns
	}
	bare := func(name string) string { return strings.ToLower(notionID.ReplaceAllString(name, "")) }
	columns := make(map[string]bool)
	f.vault.columns[dir] = columns
	for _, name := range f.vault.tables {
		stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(name), path.Ext(name)), "_all")
		if path.Dir(name) != path.Dir(dir) || bare(stem) != bare(path.Base(dir)) {
			continue
		}
		body, err := f.files.ReadText(name, portable.MaxText)
		if err != nil {
			continue
		}
		head, err := csv.NewReader(bytes.NewReader(body)).Read()
		if err != nil {
			continue
		}
		for _, column := range head {
			columns[strings.ToLower(strings.TrimSpace(column))] = true
		}
	}
	return columns
}

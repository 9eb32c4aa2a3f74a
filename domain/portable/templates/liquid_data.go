package templates

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
)

// maxData is the maximum size of the files with data that are decoded for a site, in bytes together.
const maxData = 4 << 20

// siteData holds the files of data of a Jekyll site.
type siteData struct {
	files   map[string]string // by the names of their folders and their own name, joined by slashes
	decoded map[string]any    // by file; nil: not understood
	size    int64             // of the decoded files
}

// keyInPath matches the next key of a variable's path: .name or [index].
var keyInPath = regexp.MustCompile(`^(?:\.?([\w-]+)|\[([^\[\]]*)\])`)

// path returns the keys of a variable such as site.data.authors[page.author].name. The first is the variable's name.
func (l *liquid) path(name string) (keys []string, ok bool) {
	for name != "" {
		m := keyInPath.FindStringSubmatch(name)
		if m == nil || len(keys) == maxLiquidDepth {
			return nil, false
		}
		key := m[1]
		if key == "" {
			if key, ok = l.operand(strings.TrimSpace(m[2])); !ok {
				return nil, false
			}
		}
		keys, name = append(keys, key), name[len(m[0]):]
	}
	return keys, len(keys) > 0
}

// resolve returns the value at the path of a variable. It fails if the variable is not known. A part that assigned
// variables and data lack is nil, as in Liquid. Front matter and the configuration may get further parts from plugins.
func (l *liquid) resolve(name string) (v any, ok bool) {
	keys, ok := l.path(name)
	if !ok {
		return nil, false
	}
	v, assigned := l.vars[keys[0]]
	switch {
	case assigned:
		return valueAt(v, keys[1:])
	case l.page.Bare:
		if v, ok = valueAt(l.page.Values, keys); v == nil {
			v, ok = valueAt(l.page.Site.Config, keys)
		}
	case keys[0] == "page":
		v, ok = valueAt(l.page.Values, keys[1:])
	case keys[0] == "site" && len(keys) > 1 && keys[1] == "data":
		return l.page.Site.dataAt(keys[2:])
	case keys[0] == "site":
		v, ok = valueAt(l.page.Site.Config, keys[1:])
	}
	return v, ok && v != nil && v != ""
}

// valueAt returns the part of a value to which keys lead, or nil. It fails if a key is that of a text or a number.
func valueAt(v any, keys []string) (part any, ok bool) {
	for _, key := range keys {
		switch of := v.(type) {
		case map[string]any:
			v = of[key]
		case frontmatter.Values:
			v = of[key]
		case []any:
			v = element(of, key)
		case nil:
		default:
			return nil, false
		}
	}
	return v, true
}

// element returns the element of a list that a key selects, or nil.
func element(list []any, key string) any {
	i, err := strconv.Atoi(key)
	switch {
	case key == "size":
		return len(list)
	case key == "first":
		i, err = 0, nil
	case key == "last", err == nil && i < 0:
		i, err = len(list)+min(i, -1), nil
	}
	if err != nil || i < 0 || i >= len(list) {
		return nil
	}
	return list[i]
}

// dataAt returns the value of site.data at a path. It fails if no file with this name is understood.
func (s *LiquidSite) dataAt(keys []string) (v any, ok bool) {
	if s.data.files == nil {
		s.findData()
	}
	for i := len(keys); i > 0; i-- {
		if file, known := s.data.files[strings.Join(keys[:i], "/")]; known {
			v, ok = valueAt(s.decoded(file), keys[i:])
			return v, ok && s.decoded(file) != nil
		}
	}
	return nil, false
}

// notInDataKey matches the characters that Jekyll removes from the names of files with data.
var notInDataKey = regexp.MustCompile(`[^\w\s-]+`)

func (s *LiquidSite) findData() {
	s.data = siteData{files: make(map[string]string), decoded: make(map[string]any)}
	if s.Files == nil {
		return
	}
	folder := path.Join(s.Root, cmp.Or(s.Config.Text("data_dir"), "_data")) + "/"
	first, _ := slices.BinarySearch(s.Files.Paths, folder)
	for _, file := range s.Files.Paths[first:] {
		rest, inside := strings.CutPrefix(file, folder)
		if !inside {
			break
		}
		if slices.Contains([]string{".yml", ".yaml", ".json", ".csv", ".tsv"}, path.Ext(file)) {
			keys := strings.Split(strings.TrimSuffix(rest, path.Ext(rest)), "/")
			for i, key := range keys {
				keys[i] = strings.Join(strings.Fields(notInDataKey.ReplaceAllString(key, "")), "_")
			}
			s.data.files[strings.Join(keys, "/")] = file
		}
	}
}

// decoded returns the content of a file of data, or nil if it is not understood.
func (s *LiquidSite) decoded(file string) (v any) {
	if v, known := s.data.decoded[file]; known {
		return v
	}
	body, err := s.Files.ReadText(file, min(portable.MaxConfig, maxData-s.data.size))
	s.data.size += int64(len(body))
	if err == nil {
		switch path.Ext(file) {
		case ".csv":
			v = rowsOf(body, ',')
		case ".tsv":
			v = rowsOf(body, '\t')
		case ".json":
			if err = portable.CheckJSON(body); err == nil {
				err = json.Unmarshal(body, &v)
			}
		default:
			v, err = frontmatter.DecodeYAMLValue(body)
		}
	}
	if err != nil {
		v = nil
	}
	s.data.decoded[file] = v
	return v
}

// maxCells is the maximum number of cells of a table.
const maxCells = 100_000

// rowsOf returns the rows of a table, by the names of the columns in the first row, or nil if it is not understood.
func rowsOf(body []byte, comma rune) any {
	r := csv.NewReader(bytes.NewReader(body))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = comma, -1, true
	rows, err := r.ReadAll()
	if err != nil || len(rows) == 0 || len(rows)*len(rows[0]) > maxCells {
		return nil
	}
	list := make([]any, len(rows)-1)
	for i, cells := range rows[1:] {
		row := make(map[string]any)
		for j, name := range rows[0][:min(len(rows[0]), len(cells))] {
			row[name] = cells[j]
		}
		list[i] = row
	}
	return list
}

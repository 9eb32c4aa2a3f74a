package folder

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/folder/literals"
	"inkfeed/domain/portable/folder/permalink"
	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
)

var (
	lineComment   = regexp.MustCompile(`(?m)^[ \t]*//.*$`)
	eleventyCall  = regexp.MustCompile(`\.(?:(?:add|set|amend|watch)[A-Z]\w*|on)\(`)
	eleventyNamed = regexp.MustCompile("^\\s*[\"'`]([^\"'`\n]*)[\"'`]\\s*" +
		"(?:,\\s*(true|false|[\"'][^\"'\n]*[\"'])\\s*\\)|)")
	// mayHide matches the code of an address that may also be false, so that the page has none.
	mayHide = regexp.MustCompile(`false|!1|\{%`)
	// decides matches code that may decide who can see a page, and ofDrafts code that asks the front matter for drafts.
	decides  = regexp.MustCompile(`(?i)draft|permalink|false|!1|eleventyExclude|private|publi|visib|hidden`)
	ofDrafts = regexp.MustCompile(`\.draft\b`)
	dataFile = regexp.MustCompile(`(?i)\.(?:json5?|jsonc|ya?ml|toml|[cm]?[jt]s|csv|tsv|xml|ini|cson|edn)$`)
)

// eleventyCalls reads the calls in the configuration that set data, or that name data files. If they may decide who can
// see a page, all posts become drafts.
func (f *folder) eleventyCalls(base, source string) {
	e, held := f.eleventy, false
	source = lineComment.ReplaceAllString(source, "")
	calls := eleventyCall.FindAllStringIndex(source, -1)
	for i, at := range calls {
		end := len(source)
		if i+1 < len(calls) {
			end = calls[i+1][0]
		}
		call, body := source[at[0]:at[1]], source[at[1]:end]
		named := eleventyNamed.FindStringSubmatch(body)
		if named == nil {
			named = []string{"", "", ""}
		}
		name, value := strings.TrimPrefix(named[1], "eleventyComputed."), strings.Trim(named[2], `"'`)
		switch call {
		case ".addGlobalData(":
			switch sets := frontmatter.SetsVisibility(name) || isEleventyKey(name) || named[0] == ""; {
			case !sets:
			case value != "":
				e.base[name] = value
			case frontmatter.SetsVisibility(name), decides.MatchString(body) && !onlyHidesDrafts(body):
				held = true
			}
		case ".addPreprocessor(":
			held = held || mayHide.MatchString(body) && !onlyHidesDrafts(body)
		case ".addLayoutAlias(":
			if len(e.aliases) < maxEleventyData && named[1] != "" {
				e.aliases[named[1]] = value
			}
		case ".setDataFileBaseName(", ".setDataFileSuffixes(", ".addDataExtension(":
			if call == ".setDataFileBaseName(" && named[1] != "" {
				e.dataName = named[1]
			} else if e.otherData == nil {
				f.findOtherData()
			}
		}
	}
	if held {
		f.holdAll(base)
	}
}

// onlyHidesDrafts reports whether all that code hides are posts that their front matter calls drafts.
func onlyHidesDrafts(code string) bool {
	before := mayHide.Split(code, -1)
	before = before[:max(len(before)-1, 1)]
	return !slices.ContainsFunc(before, func(part string) bool {
		return !ofDrafts.MatchString(part) || strings.Contains(part, "||")
	})
}

// isEleventyKey reports whether a key of data decides about the page of a post.
func isEleventyKey(key string) bool {
	return key == "permalink" || key == "eleventyExcludeFromCollections" || key == "eleventyComputed"
}

// holdAll makes all posts drafts because of something that may decide who can see them.
func (f *folder) holdAll(because string) {
	f.config.held = true
	f.blog.AddProblem("", "all posts are imported as drafts: %s may decide who can see them", because)
}

// findOtherData finds the data files that have other names than those of eleventyData.
func (f *folder) findOtherData() {
	f.eleventy.otherData = make(map[string][]string)
	for _, name := range f.files.Paths {
		dir, base := path.Split(name)
		stem, ending, _ := strings.Cut(base, ".")
		if ending = "." + ending; dataFile.MatchString(name) && ending != ".json" &&
			!strings.HasPrefix(ending, ".11tydata.j") && len(f.eleventy.otherData[dir+stem]) < maxEleventyData {
			f.eleventy.otherData[dir+stem] = append(f.eleventy.otherData[dir+stem], name)
		}
	}
}

// eleventyGlobal reads a data file of the whole site if its name is a key that says who can see pages.
func (f *folder) eleventyGlobal(name string) {
	key := markup.Stem(name)
	if !dataFile.MatchString(name) || key == "eleventyComputed" || !frontmatter.SetsVisibility(key) &&
		!isEleventyKey(key) {
		return
	}
	var value any
	if path.Ext(name) != ".json" || !f.readJSON(name, &value) {
		f.holdAll(path.Base(name))
		return
	}
	f.eleventy.base[key] = value
}

// maxLayouts bounds the layouts within each other.
const maxLayouts = 10

// layoutValues returns what the front matter of a layout, and of those that it is within, says about visibility.
func (f *folder) layoutValues(layout string, depth int) frontmatter.Values {
	e := f.eleventy
	layout = cmp.Or(e.aliases[layout], layout)
	if known, ok := e.matters[layout]; ok || layout == "" || depth == maxLayouts {
		return known
	}
	said := make(frontmatter.Values)
	name := f.layoutFile(layout)
	if body, err := f.files.ReadText(name, portable.MaxText); name != "" && err == nil {
		matter, _, err := frontmatter.Split(string(body))
		if err != nil || strings.Contains(name, ".11ty.") && decides.Match(body) { // it is a program
			matter = programData
		}
		said = maps.Clone(f.layoutValues(matter.Text("layout"), depth+1))
		if said == nil {
			said = make(frontmatter.Values)
		}
		for key, value := range f.eleventyValues(name, matter) {
			if frontmatter.SetsVisibility(key) || isEleventyKey(key) || key == hiddenBySite {
				said[key] = value
			}
		}
	}
	e.matters[layout] = said
	return said
}

// layoutFile returns the path of a layout, whose name may lack the ending, or empty.
func (f *folder) layoutFile(layout string) string {
	for _, dir := range f.eleventy.layouts {
		for _, ending := range []string{"", ".njk", ".liquid", ".html", ".webc", ".vto", ".hbs", ".ejs", ".mustache",
			".haml", ".pug", ".md", ".11ty.js", ".11ty.cjs", ".11ty.mjs", ".11ty.ts"} {
			if name := path.Join(dir, layout) + ending; f.files.Has(name) {
				return name
			}
		}
	}
	return ""
}

// readJSON decodes a data file in JSON. It reports whether the value is that of the file.
func (f *folder) readJSON(name string, value any) (ok bool) {
	body, err := f.files.ReadText(name, portable.MaxConfig)
	return err == nil && portable.CheckJSON(body) == nil && json.Unmarshal(body, value) == nil
}

// programData stands for data that are not read, such as those of a program. Posts that it applies to become drafts.
var programData = map[string]any{"private": literals.Code("")}

// maxEleventyData bounds the keys of a data file, which are copied for each page.
const maxEleventyData = 100

// eleventyData reads the data files of a folder or of a page: the path of either without an ending.
func (f *folder) eleventyData(stem string) frontmatter.Values {
	data := make(frontmatter.Values)
	for _, ending := range []string{".json", ".11tydata.json", ".11tydata.js", ".11tydata.mjs", ".11tydata.cjs",
		".11tydata.ts", ".js"} {
		name := stem + ending
		if !f.files.Has(name) || ending == ".js" && path.Base(stem) != "eleventyComputed" {
			continue
		}
		var values map[string]any
		if strings.HasSuffix(ending, "json") {
			if !f.readJSON(name, &values) {
				values = nil
			}
		} else if body, err := f.files.ReadText(name, portable.MaxConfig); err == nil {
			values = literals.JavaScript(string(body))
		}
		if values == nil || values["..."] != nil || len(values) > maxEleventyData { // not all is read
			values = programData
		}
		maps.Copy(data, f.eleventyValues(name, values))
	}
	parent, base := path.Split(stem)
	first, _, _ := strings.Cut(base, ".")
	for _, name := range f.eleventy.otherData[parent+first] {
		if strings.HasPrefix(name, stem+".") {
			maps.Copy(data, f.eleventyValues(name, programData))
		}
	}
	return data
}

// eleventyValues leaves out the values that only the program of a data file can compute. If they say who can see a
// page, the pages become drafts.
func (f *folder) eleventyValues(name string, values map[string]any) map[string]any {
	where, _ := f.inside(name)
	plain := make(map[string]any)
	for key, value := range values {
		code, isCode := value.(literals.Code)
		pattern := permalink.EleventyPattern(string(code))
		knowsDrafts := strings.Contains(string(code), "draft") // the front matter says which posts are drafts
		switch {
		case key == "eleventyComputed":
			table, _ := value.(map[string]any)
			if isCode {
				table = programData
			}
			for key, value := range f.eleventyValues(name, table) {
				text, _ := value.(string)
				if isTemplate := strings.Contains(text, "{{"); !isTemplate || key == "permalink" {
					plain[key] = value
				} else if frontmatter.SetsVisibility(key) {
					plain[hiddenBySite] = true
				}
			}
		case !isCode:
			plain[key] = value
		case key == "permalink" && pattern != "":
			plain[key] = pattern
		case frontmatter.SetsVisibility(key), key == "eleventyExcludeFromCollections" && !knowsDrafts,
			key == "permalink" && mayHide.MatchString(string(code)) && !knowsDrafts:
			f.blog.AddProblem(where, "posts below are imported as drafts: a program decides who can see them")
			plain[hiddenBySite] = true
		case key == "permalink":
			f.blog.AddProblem(where, "the addresses of the posts below are not known: a program makes them")
		}
	}
	return plain
}

// addFolderData adds the data of a folder, a path below the folder that Eleventy reads, and of the folders above it.
func (f *folder) addFolderData(to frontmatter.Values, dir string) {
	if dir != "." {
		f.addFolderData(to, path.Dir(dir))
	}
	e := f.eleventy
	data, known := e.folders[dir]
	if !known {
		at := path.Join(f.root, f.config.source, dir)
		data = f.eleventyData(path.Join(at, cmp.Or(e.dataName, path.Base(at))))
		for _, tag := range data.List("", "tags") {
			f.blog.AddProblem("", "the tag %q, which all pages of a folder have, was left out", tag)
		}
		if dir == "." {
			maps.Copy(e.base, data)
			data = e.base
		}
		e.folders[dir] = data
	}
	maps.Copy(to, data)
}

package folder

import (
	"path"
	"slices"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
)

// leftFiles counts the files that were left out for one reason.
type leftFiles struct {
	reason   locale.Message
	examples []string
	count    int
}

// maxExamples is the number of files that the report names for each reason.
const maxExamples = 3

// skip records that a file is left out.
func (f *folder) skip(name string, reason locale.Message) {
	if reason.String() == leftSilently.String() {
		return
	}
	for i := range f.left {
		if l := &f.left[i]; l.reason.String() == reason.String() {
			if l.count++; l.count <= maxExamples {
				l.examples = append(l.examples, name)
			}
			return
		}
	}
	f.left = append(f.left, leftFiles{reason, []string{name}, 1})
}

// otherTexts are the names of formats of texts that Inkfeed cannot read, by the endings of files.
var otherTexts = map[string]string{".org": "Org", ".rst": "reStructuredText", ".adoc": "AsciiDoc",
	".asciidoc": "AsciiDoc", ".asc": "AsciiDoc", ".ipynb": "Jupyter", ".textile": "Textile", ".rmd": "R Markdown",
	".qmd": "Quarto", ".creole": "Creole", ".wiki": "MediaWiki", ".mediawiki": "MediaWiki", ".tex": "LaTeX",
	".docx": "Word", ".odt": "LibreOffice", ".mdx": "MDX"}

// otherTemplates are the endings of templates from which generators make pages.
var otherTemplates = []string{".njk", ".liquid", ".hbs", ".handlebars", ".mustache", ".ejs", ".pug", ".jade", ".haml",
	".slim", ".swig", ".webc", ".astro", ".vue", ".svelte", ".erb", ".vto", ".html", ".htm"}

// skipOther records a file that looks like a text and is not read.
func (f *folder) skipOther(name string) {
	rest, inside := f.inside(name)
	if !inside || strings.HasPrefix(rest, ".") || strings.Contains(rest, "/.") || aboutTheSource(rest) {
		return
	}
	ending := strings.ToLower(path.Ext(rest))
	if format, isText := otherTexts[ending]; isText {
		f.skip(rest, locale.M("texts in {format}", "format", format))
		return
	}
	if slices.Contains(otherTemplates, ending) && f.makesPages(rest) && strings.Count(path.Base(rest), ".") == 1 {
		f.skip(rest, locale.M("templates ({ending})", "ending", ending))
	}
}

// makesPages reports whether the generator makes a page of a template.
func (f *folder) makesPages(rest string) bool {
	within, ok := rest, true
	switch {
	case f.vault != nil:
		return isHTML(rest)
	case f.kind == kindAstro:
		if within, ok = strings.CutPrefix(rest, "src/pages/"); strings.Contains(within, "[") {
			return false
		}
	case f.kind == kindHexo:
		within, ok = strings.CutPrefix(rest, f.config.source+"/")
	case f.kind == kindPelican:
		within, ok = f.pelicanFile(rest)
	case f.kind == kindEleventy:
		within, ok = f.eleventyFile(rest)
	case f.kind != kindPlain:
		return false
	}
	dir := strings.ToLower(path.Dir(within)) + "/"
	for _, word := range []string{"_", "layout", "template", "theme", "partial", "include", "component", "static/",
		"public/"} {
		if strings.HasPrefix(dir, word) || strings.Contains(dir, "/"+word) {
			return false
		}
	}
	stem := strings.TrimSuffix(within, path.Ext(within))
	return ok && stem != "404" && stem != "index" && !(isHTML(within) && (f.kind == kindHexo || f.kind == kindEleventy))
}

// HasOtherTexts reports whether files have texts that cannot be read, so that a folder is worth a report.
func HasOtherTexts(files *portable.Files) bool {
	return slices.ContainsFunc(files.Paths, func(name string) bool {
		_, isText := otherTexts[strings.ToLower(path.Ext(name))]
		return isText
	})
}

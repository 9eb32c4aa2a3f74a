package folder

import (
	"path"
	"slices"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
)

// otherTexts are the endings of texts that Inkfeed cannot read.
var otherTexts = map[string]locale.Message{
	".org": locale.M("texts of Org mode"), ".rst": locale.M("texts in reStructuredText"),
	".adoc": locale.M("texts in AsciiDoc"), ".asciidoc": locale.M("texts in AsciiDoc"), ".asc": locale.M("texts in AsciiDoc"),
	".ipynb": locale.M("notebooks of Jupyter"), ".textile": locale.M("texts in Textile"), ".rmd": locale.M("texts of R Markdown"),
	".qmd": locale.M("texts of Quarto"), ".creole": locale.M("texts of wikis"), ".wiki": locale.M("texts of wikis"),
	".mediawiki": locale.M("texts of wikis"), ".tex": locale.M("texts in LaTeX"), ".docx": locale.M("documents of Word"),
	".odt": locale.M("documents of LibreOffice"), ".mdx": locale.M("texts in MDX, which this generator does not read"),
}

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
	if what, isText := otherTexts[ending]; isText {
		f.skip(rest, what)
		return
	}
	if slices.Contains(otherTemplates, ending) && f.makesPages(rest) && strings.Count(path.Base(rest), ".") == 1 {
		f.skip(rest, locale.M("templates and HTML files with the ending {ending}", "ending", ending))
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
	for _, word := range []string{"_", "layout", "template", "theme", "partial", "include", "component", "static/", "public/"} {
		if strings.HasPrefix(dir, word) || strings.Contains(dir, "/"+word) {
			return false
		}
	}
	return ok && nameOf(within) != "404" && !(isHTML(within) && (f.kind == kindHexo || f.kind == kindEleventy))
}

// HasOtherTexts reports whether files have texts that cannot be read, so that a folder is worth a report.
func HasOtherTexts(files *portable.Files) bool {
	return slices.ContainsFunc(files.Paths, func(name string) bool {
		_, isText := otherTexts[strings.ToLower(path.Ext(name))]
		return isText
	})
}

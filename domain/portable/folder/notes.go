package folder

import (
	"cmp"
	"encoding/json"
	"net/url"
	"path"
	"regexp"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
)

// Programs whose folders of notes can be read.
const (
	kindObsidian = "Obsidian"
	kindDendron  = "Dendron"
	kindLogseq   = "Logseq"
	kindFoam     = "Foam"
	kindNotion   = "Notion"
	kindNotes    = "Markdown notes" // with wiki links, from an unknown program
)

// vault is a folder of notes that link to each other by name.
type vault struct {
	names *noteNames
	links []wikiLink // by the numbers in their marks
	// labelFirst reports that the text of a link precedes the note, as in Dendron.
	labelFirst bool
	templates  []string                   // folders of templates, within the vault
	tables     []string                   // of Notion's databases
	columns    map[string]map[string]bool // of the databases' tables, by the folders of their pages
	// chosen reports that at least one note is marked as public. Then all other notes become drafts. unmarked holds the
	// indexes of posts without a mark.
	chosen   bool
	unmarked []int
	daily    int // daily notes, which become drafts
}

// findNotes recognises a folder of notes by the files of its program, or by wiki links to files in the folder.
func (f *folder) findNotes() {
	if f.kind != kindPlain {
		return
	}
	kind, root, depth := "", "", 100
	ids, texts := 0, 0
	for _, name := range f.files.Paths {
		if portable.IsText(name) {
			if texts++; notionName.MatchString(path.Base(name)) {
				ids++
			}
		}
		for marker, of := range map[string]string{
			".obsidian/": kindObsidian, "dendron.yml": kindDendron, "logseq/config.edn": kindLogseq,
			".foam/": kindFoam, ".vscode/foam.json": kindFoam,
		} {
			before, after, ok := strings.Cut("/"+name, "/"+marker)
			if ok && (after == "" || strings.HasSuffix(marker, "/")) && strings.Count(before, "/") < depth {
				kind, root, depth = of, strings.TrimPrefix(before, "/"), strings.Count(before, "/")
			}
		}
	}
	var inside []string
	for _, name := range f.files.Paths {
		if root == "" || strings.HasPrefix(name, root+"/") {
			inside = append(inside, name)
		}
	}
	names := newNoteNames(root, inside)
	switch {
	case kind != "":
	case ids > 0 && ids*2 > texts:
		kind = kindNotion
	case f.hasWikiLinks(names):
		kind = kindNotes
	default:
		return
	}
	f.kind, f.root = kind, root
	f.vault = &vault{names: names, labelFirst: kind == kindDendron, templates: f.templateFolders(root),
		columns: make(map[string]map[string]bool)}
	for _, name := range inside {
		rest, _ := f.inside(name)
		if what := f.nonNoteKind(rest); !what.IsZero() {
			f.skip(rest, what)
		}
		if kind == kindNotion && strings.EqualFold(path.Ext(name), ".csv") {
			f.vault.tables = append(f.vault.tables, name)
		}
	}
}

// hasWikiLinks reports whether a wiki link in any text leads to a file.
func (f *folder) hasWikiLinks(names *noteNames) bool {
	for _, name := range f.files.Paths {
		if !portable.IsText(name) {
			continue
		}
		body, err := f.files.ReadText(name, portable.MaxText)
		if err != nil || !strings.Contains(string(body), "[[") {
			continue
		}
		links, _ := findWikiLinks(string(body), markup.CodeIn(string(body)))
		for _, link := range links {
			if _, ok := names.find(link.target, name); ok {
				return true
			}
		}
	}
	return false
}

// templateFolders reads the user's folders of templates from the settings of Obsidian and of its plugin Templater.
func (f *folder) templateFolders(root string) []string {
	folders := []string{"templates", "template", "_templates"}
	for file, key := range map[string]string{
		".obsidian/templates.json":                       "folder",
		".obsidian/plugins/templater-obsidian/data.json": "templates_folder",
	} {
		body, err := f.files.ReadText(path.Join(root, file), portable.MaxConfig)
		if err != nil {
			continue
		}
		var settings map[string]any
		if json.Unmarshal(body, &settings) == nil {
			if folder := strings.Trim(frontmatter.Values(settings).Text(key), "/"); folder != "" {
				folders = append(folders, strings.ToLower(folder))
			}
		}
	}
	return folders
}

// isNote reports whether a file of the vault is a note.
func (f *folder) isNote(rest string) bool {
	if strings.HasPrefix(rest, ".") || strings.Contains(rest, "/.") || !portable.IsText(rest) || aboutTheSource(rest) ||
		!f.nonNoteKind(rest).IsZero() {
		return false
	}
	return f.kind != kindLogseq || strings.HasPrefix(rest, "pages/") || strings.HasPrefix(rest, "journals/")
}

// nonNoteKind returns the kind of a file that the program of a vault shows although it is not a note, or an empty
// message.
func (f *folder) nonNoteKind(rest string) locale.Message {
	lower := strings.ToLower(rest)
	switch ending := path.Ext(lower); {
	case strings.HasPrefix(rest, ".") || strings.Contains(rest, "/."):
	case ending == ".canvas", ending == ".base":
		return locale.M("{kind} files", "kind", ending[1:])
	case ending == ".csv" && f.kind == kindNotion:
		return locale.M("tables of databases")
	case strings.HasSuffix(lower, ".excalidraw.md"):
		return locale.M("drawings")
	case portable.IsText(rest) && (f.vault.isTemplate(lower) ||
		f.kind == kindDendron && strings.HasPrefix(path.Base(lower), "templates.")):
		return locale.M("templates")
	}
	return locale.Message{}
}

func (v *vault) isTemplate(rest string) bool {
	for _, folder := range v.templates {
		if strings.HasPrefix(rest, folder+"/") ||
			!strings.Contains(folder, "/") && strings.Contains(rest, "/"+folder+"/") {
			return true
		}
	}
	return false
}

var (
	noteTag    = regexp.MustCompile(`(?m)(?:^|[\s(])(#(?:\[\[[^\]\n]+\]\]|[\p{L}\p{M}\p{N}\p{So}_/-]+))`)
	highlights = regexp.MustCompile(`==([^=\s](?:[^=\n]*[^=\s])?)==`)
	blockID    = regexp.MustCompile(`(?m)(?:^|[ \t]+)\^[A-Za-z0-9-]+[ \t]*$`)
	formulas   = regexp.MustCompile(`(?s)\$\$.+?\$\$|\$[^\s$](?:[^$\n]*[^\s$\\])?\$`)
	onlyTags   = regexp.MustCompile(`(?m)^[ \t]*(?:#[\p{L}\p{M}\p{N}\p{So}_/-]+[ \t]*)+(?:\n|$)`)
	query      = regexp.MustCompile("(?ms)^[ \t>]*(```+|~~~+)[ \t]*" +
		"(dataviewjs|dataview|tasks|query|button|tracker|base)\\b.*?^[ \t>]*(```+|~~~+)[ \t]*$")
	inlineQuery = regexp.MustCompile("`" +
		`(?:= (?:this\b|\[\[|date\(|dateformat\(|choice\(|default\()|\$= )` + "[^`\n]*`")
	templater   = regexp.MustCompile(`<%[^%\n]*%>`)
	inlineField = regexp.MustCompile(`(?m)^[ \t]*(?:[-*] )?[\p{L}][\p{L}\p{N} _-]{0,40}:: |` +
		`[\[(][\p{L}][\p{L}\p{N} _-]{0,40}:: [^\])\n]*[\])]`)
	foamLinks = regexp.MustCompile(`(?ms)^\[//begin\]: # .*?^\[//end\]: # [^\n]*\n?`)
)

// readNote adds the data that only notes have to a post, and translates syntax of notes to Markdown. It replaces wiki
// links by marks: see finishNotes.
func (f *folder) readNote(p *portable.Post, m frontmatter.Values, content string, t *markup.Translator) string {
	v := f.vault
	content = strings.ReplaceAll(content, wikiMark, "")
	content = foamLinks.ReplaceAllString(content, "")
	content = f.noteTitle(p, content)
	f.noteStatus(p, m)
	if f.kind == kindObsidian { // the address on Obsidian Publish
		p.AddPath("/" + strings.ReplaceAll(strings.TrimSuffix(p.Where, path.Ext(p.Where)), " ", "+"))
	}
	if f.kind == kindNotion {
		return content
	}
	skip := markup.CodeIn(content)
	edits := f.noteTags(p, content, skip)
	for _, at := range query.FindAllStringSubmatchIndex(content, -1) {
		if !markup.Within(skip, at[0]) {
			edits = append(edits, markup.Edit{Span: markup.Span{Start: at[0], End: at[1]},
				Text: t.Template(locale.M("the query {name}", "name", content[at[4]:at[5]]), content[at[0]:at[1]], "")})
		}
	}
	if len(edits) > 0 {
		content = markup.Apply(content, edits)
		skip = markup.CodeIn(content)
	}
	var maths []markup.Span
	for _, at := range formulas.FindAllStringIndex(content, -1) {
		maths = append(maths, markup.Span{Start: at[0], End: at[1]})
	}
	text := func(at int) bool { return !markup.Within(skip, at) && !markup.Within(maths, at) }
	links, places := findWikiLinks(content, skip, maths)
	edits = v.markWikiLinks(links, places, p.File)
	for _, at := range highlights.FindAllStringSubmatchIndex(content, -1) {
		if !text(at[0]) || !text(at[1]-1) {
			continue
		}
		mark := "**"
		if strings.Contains(content[max(at[0]-1, 0):min(at[1]+1, len(content))], "*") {
			mark = "" // otherwise both marks would be read as one
		}
		edits = append(edits, markup.Edit{Span: markup.Span{Start: at[0], End: at[2]}, Text: mark},
			markup.Edit{Span: markup.Span{Start: at[3], End: at[1]}, Text: mark})
	}
	for _, at := range blockID.FindAllStringIndex(content, -1) {
		if text(at[0]) && text(at[1]-1) {
			edits = append(edits, markup.Edit{Span: markup.Span{Start: at[0], End: at[1]}, Text: ""})
		}
	}
	for _, at := range inlineField.FindAllStringIndex(content, -1) {
		if text(at[0]) {
			t.RecordLoss(locale.M("an inline field of Dataview is shown as it was typed"))
		}
	}
	for _, at := range templater.FindAllStringIndex(content, -1) {
		if text(at[0]) {
			edits = append(edits, markup.Edit{Span: markup.Span{Start: at[0], End: at[1]},
				Text: t.Template(locale.M("code of Templater"), content[at[0]:at[1]], "")})
		}
	}
	for _, at := range inlineQuery.FindAllStringIndex(content, -1) {
		if text(at[0]) {
			edits = append(edits, markup.Edit{Span: markup.Span{Start: at[0], End: at[1]},
				Text: t.Template(locale.M("a query of Dataview"), content[at[0]:at[1]], "")})
		}
	}
	content = markup.Apply(content, edits)
	if !strings.Contains(content, "#") {
		return content
	}
	return markup.Rewrite(content, func(l markup.Link) (string, bool) {
		address, fragment, ok := strings.Cut(l.Destination, "#")
		if !ok || l.Image || strings.Contains(address, ":") {
			return "", false
		}
		if unescaped, err := url.PathUnescape(fragment); err == nil {
			fragment = unescaped
		}
		if strings.HasPrefix(fragment, "^") {
			return cmp.Or(address, "#"), true
		}
		return address + "#" + headingFragment(fragment), true
	})
}

var (
	firstTitle = regexp.MustCompile(`^\s*#[ \t]+(.+?)[ \t]*#*[ \t]*(?:\n|$)`)
	anyTitle   = regexp.MustCompile(`(?m)^#[ \t]+\S`)
	dayNote    = regexp.MustCompile(`^(?:daily\.)?(?:journal\.)?(\d{4})[-_. ]?(\d{2})[-_. ]?(\d{2})$`)
)

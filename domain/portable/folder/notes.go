package folder

import (
	"encoding/json"
	"path"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/folder/notation"
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
	links     notation.Links
	templates []string                   // folders of templates, within the vault
	tables    []string                   // of Notion's databases
	columns   map[string]map[string]bool // of the databases' tables, by the folders of their pages
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
	names := notation.NewNames(root, inside)
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
	f.vault = &vault{links: notation.Links{Names: names, LabelFirst: kind == kindDendron},
		templates: f.templateFolders(root),
		columns:   make(map[string]map[string]bool)}
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
func (f *folder) hasWikiLinks(names *notation.Names) bool {
	for _, name := range f.files.Paths {
		if !portable.IsText(name) {
			continue
		}
		body, err := f.files.ReadText(name, portable.MaxText)
		if err != nil || !strings.Contains(string(body), "[[") {
			continue
		}
		links, _ := notation.FindWikiLinks(string(body), markup.CodeIn(string(body)))
		for _, link := range links {
			if _, ok := names.Find(link.Target, name); ok {
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

package locale

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// catalogues has a file for each language, named after its tag. en.json lists all texts.
//
//go:embed catalogues/*.json
var catalogues embed.FS

// All returns all languages that have a catalogue: English first, then by code.
func All() []*Language { return slices.Clone(all()) }

// English returns the language of the texts in the code.
func English() *Language { return all()[0] }

// all loads the catalogues once. They are part of the program and never change.
var all = sync.OnceValue(func() []*Language {
	languages, err := load(catalogues)
	if err != nil {
		panic(err) // a test loads the same files
	}
	return languages
})

// load reads the catalogues of a file system.
func load(files fs.FS) (languages []*Language, err error) {
	names, err := fs.Glob(files, "catalogues/*.json")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		code := strings.TrimSuffix(path.Base(name), ".json")
		tag, err := language.Parse(code)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		messages, err := parse(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		l := newLanguage(tag, display.Self.Name(tag), messages)
		if code == "en" {
			languages = slices.Insert(languages, 0, l)
		} else {
			languages = append(languages, l)
		}
	}
	return languages, nil
}

// parse reads a catalogue. It leaves out the texts that are not translated, or are the same in English.
func parse(data []byte) (map[string]forms, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, err
	}
	messages := make(map[string]forms)
	for key, value := range raw {
		var f forms
		if value[0] == '{' {
			if err := json.Unmarshal(value, &f.plural); err != nil {
				return nil, fmt.Errorf("%q: %w", key, err)
			}
			if f.other = f.plural["other"]; f.other == "" {
				return nil, fmt.Errorf("%q: it has no form for the category other", key)
			}
		} else if err := json.Unmarshal(value, &f.other); err != nil {
			return nil, fmt.Errorf("%q: %w", key, err)
		}
		if f.plural == nil && (f.other == "" || f.other == key) {
			continue
		}
		messages[key] = f
	}
	return messages, nil
}

package folder

import (
	"fmt"
	"regexp"
	"strings"

	"inkfeed/domain/portable/folder/literals"
	"inkfeed/domain/portable/frontmatter"
)

// pelicanVisibility are the settings that may decide who can see a post.
var pelicanVisibility = []string{"DEFAULT_METADATA", "EXTRA_PATH_METADATA", "PATH_METADATA", "FILENAME_METADATA",
	"WITH_FUTURE_DATES"}

var (
	pythonComment = regexp.MustCompile(`(?m)^[ \t]*#.*$`)
	// pelicanMention matches one of pelicanVisibility, and the sign after it in a plain assignment.
	pelicanMention = regexp.MustCompile(`(?m)(^)?\b((?:DEFAULT|(?:EXTRA_)?PATH|FILENAME)_METADATA|WITH_FUTURE_DATES)` +
		`\b(?:[ \t]*(=)[^=])?`)
)

// pelicanChanged returns the settings of pelicanVisibility that a program may change otherwise than by an assignment
// that is read.
func pelicanChanged(source string) (names []string) {
	source = pythonComment.ReplaceAllString(source, "")
	for _, m := range pelicanMention.FindAllStringSubmatchIndex(source, maxRules) {
		name, plain := source[m[4]:m[5]], m[2] >= 0 && m[6] >= 0
		if !plain && (name == "WITH_FUTURE_DATES" || strings.Contains(strings.ToLower(source), "status")) {
			names = append(names, name)
		}
	}
	return names
}

// pelicanStatus finds the status of posts that name none. If another setting or a program may decide about it, all
// posts become drafts.
func (f *folder) pelicanStatus(m frontmatter.Values) {
	for _, name := range pelicanVisibility[:4] {
		value, set := m[name]
		code, isCode := value.(literals.Code)
		said := strings.ToLower(fmt.Sprint(value))
		held := isCode && !strings.ContainsAny(string(code), `"'`) || strings.Contains(said, "status")
		if name == "DEFAULT_METADATA" && !isCode {
			held = !pelicanDefault(m, value)
		}
		if set && held {
			f.holdAll(name)
		}
	}
}

// pelicanDefault sets the status of posts that name none. It reports whether the setting's value, a table or a list of
// pairs, is understood.
func pelicanDefault(m frontmatter.Values, value any) (understood bool) {
	table, ok := value.(map[string]any)
	if pairs, isList := value.([]any); isList {
		table, ok = make(map[string]any), true
		for _, pair := range pairs {
			if pair, isPair := pair.([]any); isPair && len(pair) == 2 {
				table[frontmatter.TextOf(pair[0])] = pair[1]
			} else {
				return false
			}
		}
	}
	for key, value := range table {
		_, isCode := value.(literals.Code)
		switch isStatus := strings.EqualFold(key, "status"); {
		case isCode && (isStatus || key == ""):
			return false
		case isStatus:
			m["status"] = value
		}
	}
	return ok || value == ""
}

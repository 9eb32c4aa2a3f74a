package portable

import (
	"time"
)

// template reports template code that cannot be translated and returns the text that
// replaces it: the code as it was typed or, if the code is to be removed, the text that it
// contains.
func (t *translator) template(what, code, contained string) string {
	switch t.templates {
	case KeepTemplates:
		t.lose(what + " is not known and stays in the text")
		return code
	case RemoveTemplates:
		t.lose(what + " is not known and was removed")
		return contained
	}
	t.lose(what + " is not known and stays in the text, so the post is a draft")
	t.holds = true
	return code
}

// hold makes a post with untranslated template code a draft, unless another policy is set.
func (t *translator) hold(p *Post) {
	if !t.holds || p.Status == Draft || p.Status == Unpublished {
		return
	}
	p.Hidden = p.Hidden || p.Status == Unlisted
	p.Status, p.Publish, p.Held = Draft, time.Time{}, true
}

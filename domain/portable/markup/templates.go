package markup

import (
	"time"

	"inkfeed/domain/portable"
)

// Template reports template code that cannot be translated and returns its replacement: the code as it was typed or, if
// the code is to be removed, the text that it contains.
func (t *Translator) Template(what, code, contained string) string {
	switch t.Templates {
	case portable.KeepTemplates:
		t.RecordLoss(what + " is not known and stays in the text")
		return code
	case portable.RemoveTemplates:
		t.RecordLoss(what + " is not known and was removed")
		return contained
	}
	t.RecordLoss(what + " is not known and stays in the text, so the post is a draft")
	t.holds = true
	return code
}

// DraftUntranslated makes a post with untranslated template code a draft, unless the policy says otherwise.
func (t *Translator) DraftUntranslated(p *portable.Post) {
	if !t.holds || p.Status == portable.Draft || p.Status == portable.Unpublished {
		return
	}
	p.Hidden = p.Hidden || p.Status == portable.Unlisted
	p.Status, p.Publish, p.Held = portable.Draft, time.Time{}, true
}

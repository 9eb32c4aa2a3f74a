package markup

import (
	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
)

// Template reports template code that cannot be translated and returns its replacement: the code as it was typed or, if
// the code is to be removed, the text that it contains.
func (t *Translator) Template(what locale.Message, code, contained string) string {
	switch t.Templates {
	case portable.KeepTemplates:
		t.RecordLoss(locale.M("{code} is not known and stays in the text", "code", what))
		return code
	case portable.RemoveTemplates:
		t.RecordLoss(locale.M("{code} is not known and was removed", "code", what))
		return contained
	}
	t.RecordLoss(locale.M("{code} is not known and stays in the text, so the post is a draft", "code", what))
	t.holds = true
	return code
}

// DraftUntranslated makes a post a draft that has untranslated template code, unless the policy says otherwise, or for
// which Hold was called.
func (t *Translator) DraftUntranslated(p *portable.Post) {
	if t.holds {
		p.Hold()
	}
}

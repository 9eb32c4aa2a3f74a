package views

import (
	"context"
	"io"

	"github.com/a-h/templ"

	"inkfeed/domain/locale"
)

// RichPart renders a slot or a tag of a translated text: see [Rich].
type RichPart struct {
	name    string
	content templ.Component
}

// Slot returns the part that shows a component in the place of a slot.
func Slot(name string, content templ.Component) RichPart { return RichPart{name, content} }

// Tag returns the part that wraps the text of a tag in a component with children.
func Tag(name string, around templ.Component) RichPart { return RichPart{name, around} }

// Link returns the part that makes the text of a tag a link with further attributes, which may be nil.
func Link(name, href string, attributes templ.Attributes) RichPart {
	return Tag(name, richLink(href, attributes))
}

// Rich shows a translated text with elements. Each of its slots without a value, and each of its tags, needs a part with
// this name. The tags <strong>, <em>, <code> and <kbd> need none.
//
//	@Rich(locale.M("Read <guide>the guide</guide>, {when}."), Link("guide", "/guide", nil), Slot("when", Date(t)))
func Rich(m locale.Message, parts ...RichPart) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		r := richText{parts: parts, pieces: m.Parts(ctx)}
		return r.render(ctx, w, "")
	})
}

// richText is what remains of a text while it is rendered.
type richText struct {
	parts  []RichPart
	pieces []locale.Part
}

// render writes the text up to the end of a tag, or the whole text if the tag is empty.
func (r *richText) render(ctx context.Context, w io.Writer, tag string) error {
	for len(r.pieces) > 0 {
		piece := r.pieces[0]
		r.pieces = r.pieces[1:]
		var err error
		switch piece.Kind {
		case locale.TextPart:
			_, err = io.WriteString(w, templ.EscapeString(piece.Text))
		case locale.SlotPart:
			if part := r.part(piece.Text); part != nil {
				err = part.Render(ctx, w)
			}
		case locale.OpenPart:
			children := templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
				return r.render(ctx, w, piece.Text)
			})
			around := r.part(piece.Text)
			if around == nil {
				around = richElement(piece.Text)
			}
			err = around.Render(templ.WithChildren(ctx, children), w)
		case locale.ClosePart:
			if piece.Text == tag {
				return nil
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *richText) part(name string) templ.Component {
	for _, part := range r.parts {
		if part.name == name {
			return part.content
		}
	}
	return nil
}

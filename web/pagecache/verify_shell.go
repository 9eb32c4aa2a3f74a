package pagecache

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/klauspost/compress/flate"

	"inkfeed/domain"
	"inkfeed/views"
	"inkfeed/web/site"
)

func (f *pageShell) differs(made any) string {
	anew := made.(*pageShell)
	switch {
	case anew == nil:
		return "it is another one for each viewer"
	case len(f.pieces) != len(anew.pieces):
		return fmt.Sprintf("%d pieces, should be %d", len(f.pieces), len(anew.pieces))
	}
	for i, piece := range f.pieces {
		if piece.gap != anew.pieces[i].gap {
			return fmt.Sprintf("the gap %q, should be %q", piece.gap, anew.pieces[i].gap)
		}
		// A deflated piece does not end the stream; these bytes are an empty last block.
		packed := io.MultiReader(bytes.NewReader(piece.deflated), bytes.NewReader([]byte{1, 0, 0, 0xff, 0xff}))
		if d := cmp.Or(firstDifference(piece.plain, anew.pieces[i].plain),
			decodedDifference("deflated", flate.NewReader(packed), nil, piece.plain)); d != "" {
			return d
		}
	}
	return ""
}

// gapsDifference describes the difference between what two shells of a page insert. The viewer is the user whose own
// shell it is. For a shared shell, it is an ordinary viewer. Forms are left out, since each has an id of its own.
func gapsDifference(ctx context.Context, key cacheKey, cached, anew *pageShell) (string, error) {
	viewer := site.OrdinaryViewer()
	if key.viewer != "" {
		viewer = domain.User{ID: key.viewer}
	}
	insert := func(shell *pageShell) ([]byte, error) {
		if shell.Fill == nil {
			return nil, nil
		}
		contents, _, err := shell.Fill(ctx, viewer)
		delete(contents, views.CommentFormGap)
		var text bytes.Buffer
		for _, name := range slices.Sorted(maps.Keys(contents)) {
			err = cmp.Or(err, contents[name].Render(ctx, &text))
		}
		return text.Bytes(), err
	}
	is, err := insert(cached)
	should, failed := insert(anew)
	return firstDifference(is, should), cmp.Or(err, failed)
}

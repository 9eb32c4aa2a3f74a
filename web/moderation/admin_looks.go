package moderation

import (
	"context"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/web/uploads"
)

// lookFields are the fields of the form for files.
var lookFields = map[string]bool{"logo": true, "icon": true}

// changeLooks sets the logo and the icon of a form to those that it contains, and returns their contents. Without a
// file the stored picture stays, unless the form removes it. Invalid names the fields of unsuitable files.
func (h adminSettings) changeLooks(ctx context.Context, sent uploads.Form, i *siteinfo.Info) (
	contents []domain.SitePicture, invalid, err error) {
	invalid = sent.Invalid
	for field, change := range map[string]struct {
		to   *siteinfo.Picture
		make func(context.Context, string, []byte) (siteinfo.Picture, domain.SitePicture, error)
	}{"logo": {&i.Logo, h.uploads.MakeLogo}, "icon": {&i.Icon, h.uploads.MakeIcon}} {
		file, chosen := sent.Pictures[field]
		if !chosen {
			if sent.Get(field+"-remove") == "yes" {
				*change.to = siteinfo.Picture{}
			}
			continue
		}
		made, content, err := change.make(ctx, field, file)
		switch {
		case domain.Is(err, domain.Invalid):
			invalid = domain.JoinErrors(invalid, err)
		case err != nil:
			return nil, nil, err
		default:
			*change.to, contents = made, append(contents, content)
		}
	}
	return contents, invalid, nil
}

package pages

import (
	"errors"
	"maps"
	"slices"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/siteinfo"
)

// settingsAttempts is how often the settings are changed again when another change comes first.
const settingsAttempts = 5

// describe applies the exported name, looks and texts to the settings of this site. If a part is not valid here,
// nothing changes, and the report says why.
func (i *pagesImport) describe() (changed bool, err error) {
	before := len(i.problems)
	for attempt := 1; ; attempt++ {
		i.problems = i.problems[:before]
		stored, err := i.store.Settings.Get(i.ctx)
		if err != nil {
			return false, err
		}
		written := stored
		written.Info = i.blog.Site.Describe(stored.Info)
		pictures, err := i.pictures(&written.Info)
		if err != nil {
			return false, err
		}
		clean, err := domain.CleanInfo(written.Info)
		if invalid, ok := errors.AsType[*domain.Error](err); ok && invalid.Kind == domain.Invalid {
			for _, field := range slices.Sorted(maps.Keys(invalid.Fields)) {
				i.problem("", locale.M("the name, looks and texts of the site were left out: {reason}",
					"reason", invalid.Fields[field]))
			}
			return false, nil
		}
		written.Info = clean
		names := domain.ChangedSettings(stored, written)
		if len(names) == 0 {
			return false, nil
		}
		written, err = i.store.Settings.Set(i.ctx, written, pictures...)
		if domain.Is(err, domain.Conflict) && attempt < settingsAttempts {
			continue
		}
		if err != nil {
			return false, err
		}
		i.Current.Apply(written)
		i.audit.Record(i.ctx, domain.NewAuditEntry(i.actor, domain.AuditSettings, i.now).AboutSettings(names))
		return true, nil
	}
}

// pictures sets the site's pictures to those of the export, and returns their contents. A picture that cannot be read
// is reported, and the one of this site stays.
func (i *pagesImport) pictures(info *siteinfo.Info) (contents []domain.SitePicture, err error) {
	files := i.blog.Site.Pictures()
	for field, to := range info.Pictures() {
		name := *files[field]
		if name == "" {
			*to = siteinfo.Picture{}
			continue
		}
		file, err := i.blog.Files.Read(name, domain.MaxUpload)
		if err != nil {
			i.leftOut(name, portable.Explain(err))
			continue
		}
		made, content, err := i.uploads.MakeBrand(i.ctx, field, file)
		if invalid, ok := errors.AsType[*domain.Error](err); ok && invalid.Kind == domain.Invalid {
			i.leftOut(name, invalid.Fields[field])
			continue
		}
		if err != nil {
			return nil, err
		}
		*to, contents = made, append(contents, content)
	}
	return contents, nil
}

// leftOut reports a picture of the export that is not valid.
func (i *pagesImport) leftOut(file string, why locale.Message) {
	i.problems = append(i.problems, portable.NewProblem("", "the picture %s was left out: %s", file, why))
}

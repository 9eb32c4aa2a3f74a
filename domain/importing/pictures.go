package importing

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/semaphore"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/picture"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
)

// pictures holds the pictures of an export while they are imported.
type pictures struct {
	run      *run
	decoders *semaphore.Weighted
	mu       sync.Mutex
	done     map[pictureOf]*importedPicture
	listed   map[string]portable.Picture // by their files

	known   sync.Once
	err     error                          // of reading the known pictures
	here    map[domain.ImageName]bool      // pictures of the user that are complete
	sources map[pictureOf]domain.ImageName // these pictures by user and digest of the original file
}

// readKnown reads, once, the pictures that the users have, with one query for each user. It spares decoding files
// that an earlier import decoded.
func (p *pictures) readKnown(ctx context.Context) error {
	p.known.Do(func() {
		var list []domain.Image
		for _, user := range p.run.users() {
			if p.err = p.run.Try(ctx, func() error {
				of, err := p.run.Images.All(ctx, user)
				list = append(list, of...)
				return err
			}); p.err != nil {
				return
			}
		}
		p.here, p.sources = make(map[domain.ImageName]bool, len(list)), make(map[pictureOf]domain.ImageName, len(list))
		for _, image := range list {
			if image.Incomplete {
				continue
			}
			p.here[image.Name] = true
			if image.Source != "" {
				p.sources[pictureOf{image.UserID, image.Source}] = image.Name
			}
		}
	})
	return p.err
}

// pictureOf identifies a file, by its name or digest, as a picture of a user. A file in posts of two users is
// two pictures.
type pictureOf struct{ userID, file string }

// importedPicture is the result of importing a picture.
type importedPicture struct {
	once sync.Once
	path string // empty if it could not be imported
	made bool   // whether this import created it
	why  locale.Message
	err  error // an error that ends the import
	// notes say what may be missing or different in a picture that was not left out.
	notes []locale.Message
}

// count returns the number of pictures that this import created, and of all that were not left out.
func (p *pictures) count() (made, imported int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range p.done {
		if b.made {
			made++
		}
		if b.why.IsZero() && b.err == nil {
			imported++
		}
	}
	return made, imported
}

// add imports a picture, once, and returns its address here. The address is empty if the picture cannot be imported;
// then the report of post n says why.
func (p *pictures) add(ctx context.Context, n int, name, alt string) (string, error) {
	_, imported := p.run.records[p.run.ids[n]]
	b := p.get(ctx, p.run.owner(n).ID, name, cmp.Or(p.listed[name].Alt, alt), imported)
	if !b.why.IsZero() {
		p.run.addProblem(n, "the picture %s was left out: %s", name, b.why)
	}
	for _, note := range b.notes {
		p.run.addProblem(n, "the picture %s was imported: %s", name, note)
	}
	return b.path, b.err
}

// addListed imports the pictures that the export lists and no text shows.
func (p *pictures) addListed(ctx context.Context) error {
	for _, picture := range p.run.blog.Pictures {
		owner := p.run.User.ID
		if p.done[pictureOf{owner, picture.File}] != nil {
			continue
		}
		b := p.get(ctx, owner, picture.File, picture.Alt, false)
		if b.err != nil {
			return b.err
		}
		if !b.why.IsZero() {
			p.run.addBlogProblem("the picture %s was left out: %s", picture.File, b.why)
		}
		for _, note := range b.notes {
			p.run.addBlogProblem("the picture %s was imported: %s", picture.File, note)
		}
	}
	return nil
}

// get imports a picture of a user, once. Imported reports that the post that shows it was imported before: see predict.
func (p *pictures) get(ctx context.Context, owner, name, alt string, imported bool) *importedPicture {
	p.mu.Lock()
	b := p.done[pictureOf{owner, name}]
	if b == nil {
		b = &importedPicture{}
		p.done[pictureOf{owner, name}] = b
	}
	p.mu.Unlock()
	b.once.Do(func() {
		defer Recovered(&b.err)
		if p.run.DryRun {
			b.why, b.err = p.predict(ctx, b, owner, name, imported)
		} else {
			b.why, b.err = p.importFile(ctx, b, owner, name, alt)
		}
		if !b.why.IsZero() {
			b.notes = nil
		}
		if p.run.PictureDone != nil {
			p.run.PictureDone()
		}
	})
	return b
}

// importFile imports a picture like an upload: first its record, then its files.
func (p *pictures) importFile(ctx context.Context, b *importedPicture, owner, name,
	alt string) (why locale.Message, err error) {
	r := p.run
	if err := p.readKnown(ctx); err != nil {
		return locale.Message{}, err
	}
	made, source, why, err := p.make(ctx, b, owner, name)
	if b.path != "" || !why.IsZero() || err != nil {
		return why, err
	}
	if alt, err = domain.CleanAlt(plaintext.Truncate(alt, domain.MaxAlt)); err != nil {
		alt = ""
	}
	written, err := r.storePicture(ctx, made, domain.Image{UserID: owner, Alt: alt, Source: source})
	if refused(err) {
		return domain.Reason(err), nil
	}
	b.path, b.made = made.Name.Path(), written
	return locale.Message{}, err
}

// predict sets in b the result that importFile would have, and writes nothing. The address of a picture follows from
// the decoded pixels. It matters for a post that was imported before, since the post may be unchanged. For other posts
// predict decodes nothing and sets an address of the usual length.
func (p *pictures) predict(ctx context.Context, b *importedPicture, owner, name string,
	imported bool) (why locale.Message, err error) {
	if err := p.readKnown(ctx); err != nil {
		return locale.Message{}, err
	}
	if imported {
		made, _, why, err := p.make(ctx, b, owner, name)
		if b.path == "" && why.IsZero() && err == nil {
			b.path, b.made = made.Name.Path(), !p.here[made.Name]
		}
		return why, err
	}
	if err := p.decoders.Acquire(ctx, 1); err != nil {
		return locale.Message{}, err
	}
	defer p.decoders.Release(1)
	content, _, why := p.read(b, owner, name)
	if b.path != "" || !why.IsZero() {
		return why, nil
	}
	if err := p.run.Maker.Check(ctx, owner, content); refused(err) {
		return domain.Reason(err), nil
	} else if err != nil {
		return locale.Message{}, err
	}
	b.path, b.made = domain.NewImageName(owner, content, domain.MaxImageWidth, domain.MaxImageWidth,
		domain.ExtJPEG).Path(), true
	return locale.Message{}, nil
}

// read reads a file of the export. If the user has the picture, read sets its address in b.
func (p *pictures) read(b *importedPicture, owner, name string) (content []byte, source string, why locale.Message) {
	content, err := p.run.blog.Files.Read(name, portable.MaxImage)
	if err != nil {
		return nil, "", portable.Explain(err)
	}
	source, b.notes = domain.SourceDigest(content), picture.Notes(content)
	if there, ok := p.sources[pictureOf{owner, source}]; ok {
		b.path = there.Path()
	} else if kept, ok := picture.NameOf(owner, content); ok && p.here[kept] { // it was exported from this site
		b.path = kept.Path()
	}
	return content, source, locale.Message{}
}

// make creates a picture from a file of the export, unless the user has it, and sets its address in b.
func (p *pictures) make(
	ctx context.Context, b *importedPicture, owner, name string,
) (made picture.Picture, source string, why locale.Message, err error) {
	if err := p.decoders.Acquire(ctx, 1); err != nil {
		return made, "", locale.Message{}, err
	}
	defer p.decoders.Release(1)
	content, source, why := p.read(b, owner, name)
	if b.path != "" || !why.IsZero() {
		return made, source, why, nil
	}
	made, err = p.run.Maker.Make(ctx, owner, content)
	b.notes = made.Notes
	if refused(err) {
		return made, source, domain.Reason(err), nil
	}
	return made, source, locale.Message{}, err
}

// storePicture writes a picture's record and its files, and marks the picture as complete, unless it is complete
// already.
func (r *run) storePicture(ctx context.Context, made picture.Picture, as domain.Image) (written bool, err error) {
	as.Name, as.Bytes, as.Created, as.Import = made.Name, made.Bytes(), domain.Timestamp(r.Now), r.Job
	var image domain.Image
	err = r.Try(ctx, func() (err error) { image, err = r.Images.Begin(ctx, as); return err })
	if err == nil && !image.Incomplete && image.Source == "" && as.Source != "" {
		err = r.Try(ctx, func() error { return r.Images.SetSource(ctx, as.UserID, made.Name, as.Source) })
	}
	if err != nil || !image.Incomplete {
		return false, err
	}
	if err := r.writeFiles(ctx, made, as.UserID); err != nil {
		_, failure := picture.DeleteOrphans(ctx, r.Images, r.Files, as.UserID, made.Name)
		return false, cmp.Or(failure, err)
	}
	return true, nil
}

// writeFiles writes the files of a picture and marks it as complete.
func (r *run) writeFiles(ctx context.Context, made picture.Picture, userID string) error {
	owner := func() error { return r.Files.Put(ctx, made.Name.OwnerFile(), []byte(userID)) }
	if err := r.Try(ctx, owner); err != nil {
		return err
	}
	for _, file := range made.Files {
		if err := r.Try(ctx, func() error { return r.Files.Put(ctx, file.Name, file.Content) }); err != nil {
			return err
		}
	}
	return r.Try(ctx, func() error { return r.Images.Complete(ctx, userID, made.Name) })
}

// refused reports whether an error is due to the picture, not to the storage.
func refused(err error) bool {
	return domain.Is(err, domain.Invalid) || domain.Is(err, domain.TooLarge) || errors.Is(err, picture.ErrFormat)
}

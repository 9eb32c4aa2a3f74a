package jobs

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/importing"
	"inkfeed/domain/portable"
	"inkfeed/domain/throttle"
)

// preview determines the result of an import without writing anything.
func (t *task) preview(ctx context.Context) (domain.ImportResult, error) {
	return t.run(ctx, true)
}

func (t *task) importAll(ctx context.Context) (domain.ImportResult, error) {
	return t.run(ctx, false)
}

func (t *task) run(ctx context.Context, dryRun bool) (domain.ImportResult, error) {
	now := time.Now()
	blog, closeFile, err := t.open(ctx, now)
	if err != nil {
		return domain.ImportResult{}, err
	}
	defer closeFile()
	t.of.Store(int64(len(blog.Posts)))
	c := t.config
	trusted := t.user.Role.MayAdminister()
	importer := importing.Importer{User: t.user, Users: c.Users, Profiles: c.Profiles,
		Posts: pacedPosts{c.Posts, t.paced}, Drafts: c.Drafts, Records: c.Records, Redirects: c.Redirects,
		Images: c.Images, Files: c.Files, Maker: c.Maker, Now: now, DryRun: dryRun, Job: t.start.ID,
		MissingPictures: portable.PicturePolicy(t.start.MissingPictures),
		Screen:          c.Screen, Confined: true, ClaimsAll: trusted, Capped: !trusted, Writers: writers,
		Try: t.retryUnavailable, Progress: func() { t.done.Add(1) }}
	report, err := importer.Import(ctx, blog)
	if err != nil {
		return domain.ImportResult{}, err
	}
	return report.Result(blog.Format), nil
}

// writers is the number of posts written at once. It is lower than the command's, so that the instance can
// answer requests meanwhile.
const writers = 8

// call makes a call to the storage.
func (t *task) call(ctx context.Context, call func() error) error {
	if t.start.State == domain.ImportReading {
		t.paced.Charge() // its end is charged to what follows: see begin
	} else if err := t.paced.Wait(ctx, throttle.ImportReserve, t.leaveToOthers); err != nil {
		return err
	}
	turn, err := t.config.Throttle.BeginStorage(ctx)
	if err != nil {
		return err
	}
	defer turn.End()
	return call()
}

// open opens the uploaded file and reads the blog in it.
func (t *task) open(ctx context.Context, now time.Time) (blog *portable.Blog, closeFile func(), err error) {
	stored, err := t.config.Files.Open(ctx, domain.ImportFile(t.start.ID))
	if domain.Is(err, domain.NotFound) {
		return nil, nil, refuse("The uploaded file no longer exists. Upload it again.")
	}
	if err != nil {
		return nil, nil, err
	}
	file, done, err := onDisk(stored)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			done()
		}
	}()
	t.reading.Store(true)
	start := time.Now()
	blog, err = t.config.Read(ctx, t.start.FileName, file,
		portable.Options{Templates: portable.TemplatePolicy(t.start.Templates),
			Language: cmp.Or(t.user.WritingLanguage, t.user.Language)}, now)
	t.spent.add(t.user.ID, start)
	if ctx.Err() == nil {
		t.reading.Store(false)
	}
	_, isFault := errors.AsType[*portable.Fault](err)
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil && !isFault:
		return nil, nil, err
	case err != nil:
		return nil, nil, refuse("This file cannot be imported: {reason}.", "reason",
			portable.Explain(err))
	case blog.Site != nil:
		return nil, nil, refuse("This file has the pages of a site. An administrator can import it under “Pages”.")
	case len(blog.Posts)+len(blog.Rest.Comments)+len(blog.Pictures) == 0:
		return nil, nil, refuse("This is an export of {format}, but it has no posts that can be imported. "+
			"Choose the file that has the whole blog.", "format", blog.Format)
	case len(blog.Posts) > domain.MaxImportPosts:
		return nil, nil, refuse("The file has {n} posts. The limit for an upload is {limit}. "+
			"Ask this site's administrator to import it.", "n", len(blog.Posts), "limit", domain.MaxImportPosts)
	}
	return blog, done, nil
}

// onDisk returns a stored file as one on the disk of this machine, which closeFile closes. It copies a remote file into
// a temporary one first.
func onDisk(stored io.ReadSeekCloser) (file *os.File, closeFile func(), err error) {
	if file, ok := stored.(*os.File); ok {
		return file, func() { file.Close() }, nil
	}
	defer stored.Close()
	copied, err := os.CreateTemp("", "inkfeed-import-*")
	if err != nil {
		return nil, nil, err
	}
	closeFile = func() { copied.Close(); os.Remove(copied.Name()) }
	if _, err = io.Copy(copied, stored); err != nil {
		closeFile()
		return nil, nil, err
	}
	return copied, closeFile, nil
}

func (t *task) undo(ctx context.Context) (domain.ImportResult, error) {
	c := t.config
	undo := importing.Undo{User: t.user, Job: t.start.ID, Finished: t.start.Finished, Users: c.Users,
		Posts: pacedPosts{c.Posts, t.paced}, Drafts: c.Drafts, Records: c.Records, Requests: c.Redirects,
		Images: c.Images, Texts: c.Texts, Screen: c.Screen,
		Try:      t.retryUnavailable,
		Progress: func(done, of int) { t.done.Store(int64(done)); t.of.Store(int64(of)) }}
	undone, err := undo.Run(ctx)
	result := t.start.Result
	result.KeptPosts, result.MoreKept = undone.Kept, undone.MoreKept
	return result, err
}

// Limits of repeating a call while the storage is unavailable.
const (
	retryTime  = time.Minute // since the first attempt
	retryAfter = time.Second // the pause between two attempts
)

// retryUnavailable repeats a call while the storage is unavailable. Each call has a turn of its own.
func (t *task) retryUnavailable(ctx context.Context, call func() error) error {
	for start := time.Now(); ; {
		err := t.call(ctx, call)
		if !domain.Is(err, domain.Unavailable) || ctx.Err() != nil || time.Since(start) > retryTime {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(retryAfter):
		}
	}
}

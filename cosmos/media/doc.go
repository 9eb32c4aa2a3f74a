// Package media keeps the files of pictures: in a folder (Disk) or in a container of
// Azure Blob Storage (Blobs). Both keep the contract of package mediatest.
//
// A file's name follows from its content, so that a file never changes: it is there or
// it is not. Names are those of domain.ImageName; any other is of no file. Errors are
// of the domain's kinds.
package media

import "inkfeed/domain"

// check tells a name of a file from what could lead elsewhere.
func check(name string) error {
	if _, ok := domain.ParseImageFile(name); !ok {
		return errNoFile
	}
	return nil
}

var errNoFile = domain.Errorf(domain.NotFound, "There is no such picture.")

// contentType is what a file of that name is.
func contentType(name string) string {
	n, _ := domain.ParseImageFile(name)
	return n.ContentType()
}

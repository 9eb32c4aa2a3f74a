package picture

import "inkfeed/domain/locale"

// Notes returns what may be missing or different in the picture that Make makes of a file, as far as the file's
// structure shows it.
func Notes(file []byte) (notes []locale.Message) {
	s, err := inspect(file)
	if err != nil {
		return nil
	}
	return s.notes()
}

func (s *seen) notes() (notes []locale.Message) {
	if s.strange {
		notes = append(notes, locale.M("Its colours may look different, because its colour profile can't be read."))
	}
	if s.cut || s.kind == kindPNG && !s.png.ended || s.kind == kindGIF && !s.frames.ended ||
		s.kind == kindJPEG && !s.jpeg.ended {
		notes = append(notes, locale.M("Its file is incomplete, so a part of it may be missing."))
	}
	return notes
}

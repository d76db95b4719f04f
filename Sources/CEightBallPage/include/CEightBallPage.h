// The files of the page in a browser, as they stand beside this folder, built into the program: it stays one file. The C
// compiler takes them in as they are, in no time; as literals of Swift they took ten seconds.

#ifndef EIGHT_BALL_PAGE_H
#define EIGHT_BALL_PAGE_H

#include <stddef.h>
#include <stdint.h>

/// What is in a file.
struct eight_ball_file {
    const uint8_t *_Nonnull octets;
    size_t count;
};

/// The page, in HTML; `{{key}}` stands for a text.
struct eight_ball_file eight_ball_page(void);

/// Its style sheet.
struct eight_ball_file eight_ball_style(void);

/// Its script.
struct eight_ball_file eight_ball_script(void);

/// Its icon.
struct eight_ball_file eight_ball_icon(void);

#endif

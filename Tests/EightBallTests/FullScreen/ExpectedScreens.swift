// The screens that the pages of the full-screen app are held against. A row begins with a bar; below it are the styles of
// its cells, where one of them is not plain: a letter for each run of equal ones and its length. The letters: `b` bold,
// `d` dim, `r` reversed, `R` both reversed and bold, `c` cyan, `e` red, `g` green, `y` yellow, capitals where bold.

/// A page in a state, on a terminal of a size.
struct ExpectedScreen: Sendable {
    /// What the page shows.
    enum State: Sendable {
        case noBalls, asking, confirmed, answered, failed
        case hidden, byHand
    }

    let state: State
    let rows: Int
    let columns: Int
    let screen: String

    static let all = [
        ExpectedScreen(
            state: .answered,
            rows: 24,
            columns: 80,
            screen: #"""
                | Magic 8-Ball · Central                                                 4 balls
                :R23 r57
                |  Kitchen                        ▂▄▆█ -45 dBm   /
                :b1 .32 g4 .11 c1 .31
                |  Garage                         ?              /
                :b1 .32 d1 .14 c1 .31
                |▸ Attic                          ▂▄▆█ -62 dBm   Yes.
                :b1 .1 b5 .26 y2 d2 .11 g4 .28
                |  Cellar                         ▂▄▆█ -71 dBm   went offline
                :b1 .32 e1 d3 .11 e12 .20
                |  Garden                         went offline
                :b1 .1 d6 .25 d12 .35
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |────────────────────────────────────────────────────────────────────────────────
                :d80
                |    .-"""-.     Attic
                :.16 b5 .59
                |   /  .-.  \    Will it rain today, or only tomorrow?
                |  |  (/█\)  |   Yes.
                :.6 b3 .7 G4 .60
                |   \  '-'  /
                |    '-...-'
                |────────────────────────────────────────────────────────────────────────────────
                :d80
                | Question: Next
                :.1 d10 .69
                | Enter ask   Tab next ball   ↑↓ earlier questions   Esc clear   Ctrl-C quit
                :.1 d74 .5
                cursor 22 15
                """#
        ),
        ExpectedScreen(
            state: .failed,
            rows: 11,
            columns: 40,
            screen: #"""
                | Magic 8-Ball · Central         4 balls
                :R23 r17
                |  Kitchen                ▂▄▆█ -45 dBm  /
                :b1 .24 g4 .10 c1
                |  Garage                 ?             /
                :b1 .24 d1 .13 c1
                |  Attic                  ▂▄▆█ -62 dBm
                :b1 .24 y2 d2 .11
                |▸ Cellar                 ▂▄▆█ -71 dBm
                :b1 .1 b6 .17 e1 d3 .11
                |  Garden                 went offline
                :b1 .1 d6 .17 d12 .3
                |────────────────────────────────────────
                :d40
                |  Cellar: went offline
                :.2 e20 .18
                |────────────────────────────────────────
                :d40
                | Question: Next
                :.1 d10 .29
                | Enter ask  Tab next ball  Ctrl-C quit
                :.1 d37 .2
                cursor 9 15
                """#
        ),
        ExpectedScreen(
            state: .asking,
            rows: 17,
            columns: 64,
            screen: #"""
                | Magic 8-Ball · Central                                 4 balls
                :R23 r41
                |▸ Kitchen                ▂▄▆█ -45 dBm   /
                :b1 .1 b7 .16 g4 .11 c1 .23
                |  Garage                 ?              /
                :b1 .24 d1 .14 c1 .23
                |  Attic                  ▂▄▆█ -62 dBm   Yes.
                :b1 .24 y2 d2 .11 g4 .20
                |  Cellar                 ▂▄▆█ -71 dBm   went offline
                :b1 .24 e1 d3 .11 e12 .12
                |  Garden                 went offline
                :b1 .1 d6 .17 d12 .27
                |
                |
                |
                |
                |
                |────────────────────────────────────────────────────────────────
                :d64
                |  Kitchen: One?
                |  The question is on its way …
                :.2 c28 .34
                |────────────────────────────────────────────────────────────────
                :d64
                | Question: Next
                :.1 d10 .53
                | Enter ask   Tab next ball   ↑↓ earlier questions   Ctrl-C quit
                :.1 d62 .1
                cursor 15 15
                """#
        ),
        ExpectedScreen(
            state: .confirmed,
            rows: 12,
            columns: 63,
            screen: #"""
                | Magic 8-Ball · Central                                4 balls
                :R23 r40
                |  Kitchen                                       ▂▄▆█ -45 dBm  -
                :b1 .47 g4 .10 c1
                |▸ Garage                                        ?             -
                :b1 .1 b6 .40 d1 .13 c1
                |  Attic                                         ▂▄▆█ -62 dBm
                :b1 .47 y2 d2 .11
                |  Cellar                                        ▂▄▆█ -71 dBm
                :b1 .47 e1 d3 .11
                |  Garden                                        went offline
                :b1 .1 d6 .40 d12 .3
                |───────────────────────────────────────────────────────────────
                :d63
                |  Garage: Two?
                |  The ball has the question …
                :.2 c27 .34
                |───────────────────────────────────────────────────────────────
                :d63
                | Question: Next
                :.1 d10 .52
                | Enter ask  Tab next ball  ↑↓ earlier questions  Ctrl-C quit
                :.1 d59 .3
                cursor 10 15
                """#
        ),
        ExpectedScreen(
            state: .answered,
            rows: 18,
            columns: 50,
            screen: #"""
                | Magic 8-Ball · Central                   4 balls
                :R23 r27
                |  Kitchen                          ▂▄▆█ -45 dBm  /
                :b1 .34 g4 .10 c1
                |  Garage                           ?             /
                :b1 .34 d1 .13 c1
                |▸ Attic                            ▂▄▆█ -62 dBm
                :b1 .1 b5 .28 y2 d2 .11
                |  Cellar                           ▂▄▆█ -71 dBm
                :b1 .34 e1 d3 .11
                |  Garden                           went offline
                :b1 .1 d6 .27 d12 .3
                |
                |
                |
                |──────────────────────────────────────────────────
                :d50
                |    .-"""-.     Attic
                :.16 b5 .29
                |   /  .-.  \    Will it rain today, or only
                |  |  (/█\)  |   tomorrow?
                :.6 b3 .41
                |   \  '-'  /    Yes.
                :.16 G4 .30
                |    '-...-'
                |──────────────────────────────────────────────────
                :d50
                | Question: Next
                :.1 d10 .39
                | Enter ask   Tab next ball   Ctrl-C quit
                :.1 d39 .10
                cursor 16 15
                """#
        ),
        ExpectedScreen(
            state: .noBalls,
            rows: 24,
            columns: 80,
            screen: #"""
                | Magic 8-Ball · Central                                                 no ball
                :R23 r57
                |
                |  Bluetooth is not on; waiting for it
                :.2 d35 .43
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |────────────────────────────────────────────────────────────────────────────────
                :d80
                |
                |
                |
                |
                |
                |────────────────────────────────────────────────────────────────────────────────
                :d80
                | Question:
                :.1 d10 .69
                | Enter ask   Tab next ball   ↑↓ earlier questions   Esc clear   Ctrl-C quit
                :.1 d74 .5
                cursor 22 11
                """#
        ),
        ExpectedScreen(
            state: .byHand,
            rows: 24,
            columns: 80,
            screen: #"""
                | Magic 8-Ball · Peripheral                                             2 listen
                :R26 r54
                |    .-"""-.
                |   /  .-.  \    "Kitchen" is a Magic 8-Ball now
                :.16 b31 .33
                |  |  (\ /)  |   answers by hand
                :.6 C3 .7 d15 .49
                |   \  '-'  /
                |    '-...-'
                |────────────────────────────────────────────────────────────────────────────────
                :d80
                | 1D665339  Rain  → refused: not a question
                :.17 y25 .38
                | 0D665339  Second?  → went offline
                :.20 e14 .46
                | 1D665339  Will it rain today, or only tomorrow?  → …
                :.50 c3 .27
                | 0D665339  And I?  → refused: the ball is busy
                :.19 y27 .34
                |────────────────────────────────────────────────────────────────────────────────
                :d80
                | 1D665339 asks: Will it rain today, or only tomorrow?
                :.1 b52 .27
                |   It is certain.                         Reply hazy, try again.
                |   It is decidedly so.                  ▸ Ask again later.
                :.40 r18 .22
                |   Without a doubt.                       Better not tell you now.
                |   Yes definitely.                        Cannot predict now.
                |   You may rely on it.                    Concentrate and ask again.
                |   As I see it, yes.                      Don't count on it.
                |   Most likely.                           My reply is no.
                |   Outlook good.                          My sources say no.
                |   Yes.                                   Outlook not so good.
                |   Signs point to yes.                    Very doubtful.
                | Enter answer   ↑↓ choose   r any answer   h at random   Ctrl-C quit
                :.1 d67 .12
                """#
        ),
        ExpectedScreen(
            state: .byHand,
            rows: 12,
            columns: 63,
            screen: #"""
                | Magic 8-Ball · Peripheral                            2 listen
                :R26 r37
                |
                |  "Kitchen" is a Magic 8-Ball now
                :.2 b31 .30
                |  answers by hand
                :.2 d15 .46
                |───────────────────────────────────────────────────────────────
                :d63
                | 0D665339  And I?  → refused: the ball is busy
                :.19 y27 .17
                |───────────────────────────────────────────────────────────────
                :d63
                | 1D665339 asks: Will it rain today, or only tomorrow?
                :.1 b52 .10
                |   Signs point to yes.
                |   Reply hazy, try again.
                | ▸ Ask again later.
                :.1 r18 .44
                | Enter answer   ↑↓ choose   r any answer   Ctrl-C quit
                :.1 d53 .9
                """#
        ),
        ExpectedScreen(
            state: .byHand,
            rows: 11,
            columns: 40,
            screen: #"""
                | Magic 8-Ball · Peripheral     2 listen
                :R26 r14
                |
                |  "Kitchen" is a Magic 8-Ball now
                :.2 b31 .7
                |  answers by hand
                :.2 d15 .23
                |────────────────────────────────────────
                :d40
                |
                |────────────────────────────────────────
                :d40
                | 1D665339 asks: Will it rain today, or…
                :.1 b38 .1
                |   Reply hazy, try again.
                | ▸ Ask again later.
                :.1 r18 .21
                | Enter answer   ↑↓ choose   Ctrl-C quit
                :.1 d38 .1
                """#
        ),
        ExpectedScreen(
            state: .hidden,
            rows: 24,
            columns: 80,
            screen: #"""
                | Magic 8-Ball · Peripheral                                       nobody listens
                :R26 r54
                |    .-"""-.
                |   /  .-.  \    nobody can find it at the moment
                :.16 b32 .32
                |  |  ( 8 )  |   answers at random
                :.6 R3 .7 d17 .47
                |   \  '-'  /
                |    '-...-'
                |────────────────────────────────────────────────────────────────────────────────
                :d80
                |  Waiting for a question …
                :.2 d24 .54
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |
                | h by hand   Ctrl-C quit
                :.1 d23 .56
                """#
        ),
    ]
}

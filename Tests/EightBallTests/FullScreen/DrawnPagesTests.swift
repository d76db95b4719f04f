// What the pages look like, but the central's, sign by sign and style by style, on a usual screen and at the sizes where its layout changes.

import CoreBluetooth
import Fixtures
import Foundation
import TerminalScreen
import Testing

@testable import BluetoothHost
@testable import eightball

@Suite("The pages as they are drawn")
struct DrawnPagesTests {
    private func role(_ rows: Int, _ columns: Int, _ keys: Key...) -> String {
        var page = RolePage()
        for key in keys { _ = page.receive(key) }
        return drawn(rows, columns) { page.draw(on: &$0, .english) }
    }

    private func peripheral(_ rows: Int, _ columns: Int, isByHand: Bool, _ keys: Key...) -> String {
        var page = PeripheralPage()
        page.advertises(as: "Crystal")
        page.subscribed("0D665339-0000", true)
        page.asked("0D665339-0000", "Will it rain?", .open)
        page.answered("0D665339-0000", "Will it rain?", answer: "SLUG-ANSWER-00")
        page.asked(nil, "Rain", .refusedAsNoQuestion)
        page.asked("0D665340-0000", "Snow?", .refusedAsBusy)
        page.asked("0D665341-0000", "Will the sun shine on all of us tomorrow, and on the day after?", .open)
        page.failed("0D665341-0000", words: LocalizableText(.refusedBusy))
        if isByHand {
            _ = page.setAnsweredByHand(true)
            page.asked("0D665339-0000", "Hail?", .open)
        }
        for key in keys { _ = page.receive(key, answerCount: 20) }
        return drawn(rows, columns) { page.draw(on: &$0, .english) }
    }

    private func pairing(_ rows: Int, _ columns: Int, _ question: PairingQuestion, _ keys: Key...) throws -> String {
        let peer = PairingPeer(
            identifier: try #require(UUID(uuidString: "0D665339-0000-0000-0000-000000000000")),
            name: "Anna"
        )
        var page = PairingPage(PairingPrompt(question, of: peer) { _ in })
        for key in keys { _ = page.receive(key) }
        return drawn(rows, columns) { canvas in
            for row in 0..<rows { canvas.fill(row: row, with: "x") }
            page.draw(on: &canvas, .english)
        }
    }

    @Test("The choice of the role, with the ball where there are 60 columns")
    func roles() {
        #expect(
            role(16, 60)
                == #"""
                | Magic 8-Ball
                :#############===============================================
                ~ 4
                |     .-"""-.     Which of the two do you want to be?
                |    /  .-.  \
                |   |  ( 8 )  |   ▸ 1  Central: ask an 8-ball
                :       ###       ============================
                |    \  '-'  /      2  Peripheral: be an 8-ball
                |     '-...-'
                ~ 5
                | ↑↓ choose   Enter start   Ctrl-C quit
                : .....................................
                """#
        )
        #expect(
            role(9, 59, .down)
                == #"""
                | Magic 8-Ball
                :#############==============================================
                ~ 1
                |  Which of the two do you want to be?
                ~ 1
                |    1  Central: ask an 8-ball
                |  ▸ 2  Peripheral: be an 8-ball
                :  ==============================
                ~ 2
                | ↑↓ choose   Enter start   Ctrl-C quit
                : .....................................
                """#
        )
        #expect(
            role(6, 40)
                == #"""
                | Magic 8-Ball
                :#############===========================
                ~ 1
                |  Which of the two do you want to be?
                ~ 1
                |  ▸ 1  Central: ask an 8-ball
                :  ============================
                | ↑  2  Peripheral: be an 8-ball C quit
                : .                              ......
                """#
        )
    }

    @Test("The ball: its questions, and the answers from which one is chosen by hand")
    func questions() {
        #expect(
            peripheral(14, 80, isByHand: false)
                == #"""
                | Magic 8-Ball · Peripheral                                            1 listens
                :##########################======================================================
                ~ 1
                |  "Crystal" is a Magic 8-Ball now
                :  bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
                |  answers at random
                :  .................
                |────────────────────────────────────────────────────────────────────────────────
                :................................................................................
                ~ 3
                | 0D665339  Will it rain?  → It is certain.
                :                          gggggggggggggggg
                | ?  Rain  → refused: not a question
                :          yyyyyyyyyyyyyyyyyyyyyyyyy
                | 0D665340  Snow?  → refused: the ball is busy
                :                  yyyyyyyyyyyyyyyyyyyyyyyyyyy
                | 0D665341  Will the sun shine on all of us tomorrow, and on the day after?
                |           → refused: the ball is busy
                :           rrrrrrrrrrrrrrrrrrrrrrrrrrr
                | h by hand   Ctrl-C quit
                : .......................
                """#
        )
        #expect(
            peripheral(24, 80, isByHand: true, .down, .down)
                == #"""
                | Magic 8-Ball · Peripheral                                            1 listens
                :##########################======================================================
                |    .-"""-.
                |   /  .-.  \    "Crystal" is a Magic 8-Ball now
                :                bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
                |  |  (\ /)  |   answers by hand
                :      CCC       ...............
                |   \  '-'  /
                |    '-...-'
                |────────────────────────────────────────────────────────────────────────────────
                :................................................................................
                | 0D665340  Snow?  → refused: the ball is busy
                :                  yyyyyyyyyyyyyyyyyyyyyyyyyyy
                | 0D665341  Will the sun shine on all of us tomorrow, and on the day after?
                |           → refused: the ball is busy
                :           rrrrrrrrrrrrrrrrrrrrrrrrrrr
                | 0D665339  Hail?  → …
                :                  ccc
                |────────────────────────────────────────────────────────────────────────────────
                :................................................................................
                | 0D665339 asks: Hail?
                : bbbbbbbbbbbbbbbbbbbb
                |   It is certain.                         Reply hazy, try again.
                |   It is decidedly so.                    Ask again later.
                | ▸ Without a doubt.                       Better not tell you now.
                : ==================
                |   Yes definitely.                        Cannot predict now.
                |   You may rely on it.                    Concentrate and ask again.
                |   As I see it, yes.                      Don't count on it.
                |   Most likely.                           My reply is no.
                |   Outlook good.                          My sources say no.
                |   Yes.                                   Outlook not so good.
                |   Signs point to yes.                    Very doubtful.
                | Enter answer   ↑↓ choose   r any answer   h at random   Ctrl-C quit
                : ...................................................................
                """#
        )
        #expect(
            peripheral(14, 40, isByHand: true, .end)
                == #"""
                | Magic 8-Ball · Peripheral    1 listens
                :##########################==============
                ~ 1
                |  "Crystal" is a Magic 8-Ball now
                :  bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
                |  answers by hand
                :  ...............
                |────────────────────────────────────────
                :........................................
                | 0D665339  Hail?  → …
                :                  ccc
                |────────────────────────────────────────
                :........................................
                | 0D665339 asks: Hail?
                : bbbbbbbbbbbbbbbbbbbb
                |   Don't count on it.
                |   My reply is no.
                |   My sources say no.
                |   Outlook not so good.
                | ▸ Very doubtful.
                : ================
                | Enter answer   ↑↓ choose   Ctrl-C quit
                : ......................................
                """#
        )
        var page = PeripheralPage()
        #expect(
            drawn(8, 40) { page.draw(on: &$0, .english) }
                == #"""
                | Magic 8-Ball · Peripheral  nobody lis…
                :##########################==============
                ~ 1
                |  nobody can find it at the moment
                :  bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
                |  answers at random
                :  .................
                |────────────────────────────────────────
                :........................................
                |  Waiting for a question …
                :  ........................
                ~ 1
                | h by hand   Ctrl-C quit
                : .......................
                """#
        )
    }

    @Test("A question about a pairing lies over the last rows")
    func pairings() throws {
        let entering = try pairing(8, 40, .enterPasskey, .character("1"), .character("2"))
        #expect(
            entering
                == #"""
                |xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                |xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                |xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                |xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                |────────────────────────────────────────
                :........................................
                | Anna shows a code. Enter it here
                : YYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYY
                | 12
                | Enter send   Esc give up   Ctrl-C quit
                : ......................................
                """#
        )
        let showing = try pairing(8, 40, .displayPasskey(try #require(Passkey(42))))
        #expect(
            showing
                == #"""
                |xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                |xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                |xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                |────────────────────────────────────────
                :........................................
                | Anna wants to pair. Enter this code
                : YYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYY
                | there: 000042
                : YYYYYYYYYYYYY
                ~ 1
                | Ctrl-C quit
                : ...........
                """#
        )
        let asking = try pairing(6, 60, .consent(.init(model: nil, isBonding: true, replacesBond: false)))
        #expect(
            asking
                == #"""
                |xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                |xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                |────────────────────────────────────────────────────────────
                :............................................................
                | Pair with Anna?
                : YYYYYYYYYYYYYYY
                ~ 1
                | y yes   n no   Ctrl-C quit
                : ..........................
                """#
        )
    }
}

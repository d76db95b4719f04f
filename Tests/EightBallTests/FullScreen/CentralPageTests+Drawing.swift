import Fixtures
import TerminalScreen
import Testing

@testable import eightball

@Suite("The drawing of the central's page")
struct CentralPageDrawingTests {
    /// A page of the central with five balls, each at another point of its conversation; one is chosen.
    private func central(_ rows: Int, _ columns: Int, chosen: String, ticks: Int = 0) -> String {
        var page = CentralPage()
        page.bluetoothChanged(isOn: true)
        for (name, strength) in [("Anna", -40), ("Crystal", -67), ("Dora", -90), ("Eight", nil)] as [(String, Int?)] {
            page.found(name, name: name, strength: strength)
        }
        page.found("Fay", name: "Fay with a long name that has no room", strength: -55)
        _ = page.ask("Anna", "Will it rain?")
        _ = page.ask("Crystal", "Will the sun shine on all of us tomorrow, and on the day after?")
        page.confirmed("Crystal", question: "Will the sun shine on all of us tomorrow, and on the day after?")
        _ = page.ask("Dora", "Snow?")
        page.answered("Dora", answer: "SLUG-ANSWER-00")
        _ = page.ask("Fay", "Hail?")
        page.failed("Fay", words: LocalizableText(.refusedBusy))
        page.lost("Eight")
        page.choose(chosen)
        for _ in 0..<ticks { page.tick() }
        _ = page.receive(.text("Wind"))
        return drawn(rows, columns) { page.draw(on: &$0, .english) }
    }

    @Test("shows each conversation, on screens of several sizes")
    func conversations() {
        #expect(
            central(20, 80, chosen: "Crystal", ticks: 3)
                == #"""
                | Magic 8-Ball · Central                                                 4 balls
                :#######################=========================================================
                |  Anna                           ▂▄▆█ -40 dBm   \
                :b                                gggg           c
                |▸ Crystal                        ▂▄▆█ -67 dBm   \
                :b bbbbbbb                        ggg.           c
                |  Dora                           ▂▄▆█ -90 dBm   It is certain.
                :b                                r...           gggggggggggggg
                |  Eight                          went offline
                :b .....                          ............
                |  Fay with a long name that has… ▂▄▆█ -55 dBm   refused: the ball is busy
                :b                                gggg           rrrrrrrrrrrrrrrrrrrrrrrrr
                ~ 5
                |────────────────────────────────────────────────────────────────────────────────
                :................................................................................
                |    .-"""-.     Crystal
                :                bbbbbbb
                |   /  .-.  \    Will the sun shine on all of us tomorrow, and on the day after?
                |  |  (| |)  |   The ball has the question …
                :      CCC       ccccccccccccccccccccccccccc
                |   \  '-'  /
                |    '-...-'
                |────────────────────────────────────────────────────────────────────────────────
                :................................................................................
                | Question: Wind
                : ..........
                | Enter ask   Tab next ball   ↑↓ earlier questions   Esc clear   Ctrl-C quit
                : ..........................................................................
                """#
        )
        let narrow = central(10, 40, chosen: "Crystal")
        #expect(
            narrow.hasPrefix("| Magic 8-Ball · Central         4 balls\n:#######################=================\n")
        )
        #expect(
            narrow.contains("\n|▸ Crystal                ▂▄▆█ -67 dBm  |\n:b bbbbbbb                ggg.          c\n")
        )
        #expect(narrow.contains("\n|  2 more below\n:  ............\n"))
        #expect(narrow.contains("\n|  Crystal: The ball has the question …\n:  cccccccccccccccccccccccccccccccccccc\n"))
        let question = central(20, 80, chosen: "Anna")
        let rows = [#"|   /  .-.  \    Will it rain?"#, #"|  |  (\ /)  |   The question is on its way …"#]
        #expect(question.contains(rows.joined(separator: "\n")))
        let answer = "|  Dora: Snow?\n|  It is certain.\n:  GGGGGGGGGGGGGG\n"
        #expect(central(16, 50, chosen: "Dora", ticks: 1).contains(answer))
        let lost = "|▸ Eight                  went offline\n:b .....                  ............\n"
        #expect(central(8, 40, chosen: "Eight").contains(lost + "|  3 more above, 1 more below\n"))
        // If there is one row, it is the chosen ball's.
        #expect(central(7, 40, chosen: "Crystal").split(separator: "\n")[2].hasPrefix("|▸ Crystal  "))
        #expect(!central(7, 40, chosen: "Crystal").contains("more"))
    }
}

import Fixtures
import TerminalScreen
import Testing

@testable import eightball

@Suite("The choice of the role on the full screen")
struct RolePageTests {
    @Test("chooses by arrows and Enter, or by number or letter")
    func keys() {
        for (keys, action) in [
            ([.enter], .central), ([.character(" ")], .central), ([.down, .enter], .peripheral),
            ([.up, .enter], .peripheral), ([.tab, .enter], .peripheral), ([.backTab, .enter], .peripheral),
            ([.down, .down, .enter], .central), ([.character("1")], .central), ([.character("c")], .central),
            ([.character("2")], .peripheral), ([.character("p")], .peripheral), ([.character("q")], .quit),
            ([.control("d")], .quit), ([.character("x")], nil), ([.left], nil),
        ] as [([Key], RolePage.Action?)] {
            var page = RolePage()
            #expect(keys.map { page.receive($0) }.last == action, "\(keys)")
        }
    }

    private func role(_ rows: Int, _ columns: Int, _ keys: Key...) -> String {
        var page = RolePage()
        for key in keys { _ = page.receive(key) }
        return drawn(rows, columns) { page.draw(on: &$0, .english) }
    }

    @Test("shows the roles, with the ball on screens of 60 columns")
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
        let narrow = role(9, 59, .down)
        #expect(!narrow.contains("( 8 )"))
        #expect(narrow.contains("\n|    1  Central: ask an 8-ball\n|  ▸ 2  Peripheral: be an 8-ball\n:  ======="))
        // The last row is dropped first.
        #expect(role(6, 40).contains("\n| ↑  2  Peripheral: be an 8-ball C quit\n"))
    }
}

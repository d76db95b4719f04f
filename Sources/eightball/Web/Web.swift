// The command `eightball web`, and its options.

import ArgumentParser
import CommandLineTool
import LoopbackWeb

extension EightBallCommand {
    /// The command `eightball web`.
    struct Web: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Be the app on a page in your browser.",
            discussion: """
                Prints the page's address; whoever knows it, on this computer, can use the page. As in a terminal, it \
                asks whether to be the Central or the Peripheral. With the same --port and --token the address stays \
                the same, and an open page reconnects when the program is started again.
                """
        )

        @Option(help: ArgumentHelp("The page's port; 0 for any free one.", valueName: "n"))
        var port = 0

        @Option(
            help: ArgumentHelp(
                "The secret in the address, 16 to 128 letters, digits, - and _. (default: a new one)",
                valueName: "secret"
            )
        )
        var token: String?

        @OptionGroup var ball: BallOptions
        @OptionGroup var radio: RadioOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard (0...65535).contains(port) else {
                throw ValidationError("A port is from 1 to 65535, or 0 for any free one.")
            }
            if let token, AccessToken(token) == nil {
                throw ValidationError("A token has 16 to 128 characters: letters, digits, - and _.")
            }
        }

        func run() throws {
            let agent = ScreenPairingAgent(ball.pairing.requirePairing?.capabilities ?? .keyboardAndDisplay)
            try ball.apply(radio, agent: agent)
            MainActor.assumeIsolated {
                WebSession(agent: agent, name: ball.ballName, output: output.format)
                    .run(port: port, token: token.flatMap { AccessToken($0) } ?? AccessToken())
            }
        }
    }
}

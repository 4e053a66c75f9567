// Starting a lesson: a room that holds its position, its opponent and its goal.
import { begin } from "../home/begin";

export const startLesson = (game: string, lesson: string) => begin({ game, lesson, pace: 0.3 });

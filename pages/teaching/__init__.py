"""Lessons: predict, then reveal; on the page, on paper, and with a class. Without Streamlit.

lesson        what a lesson holds; lesson_files: reads one
formulas      computes its numbers; sentences: puts them into its sentences
work_out      computes a lesson for the page; drawn_tokens: the tokens of a text in it
reasons       why a text is cut where it is
kinds         the kinds of questions
worksheet     a lesson on paper
lesson_draft  a lesson in the fields of a form
room          a room in which a class answers by phone; classroom: all of them
class_plan    lessons, and steps that only a class has, one after the other in one room
class_report  what a class has learned
"""
